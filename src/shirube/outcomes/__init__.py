"""What worked?

Decisions and outcomes of sessions: what a request says about the one before it, what went wrong where, whether what
was written survived, and what that teaches the map and the ranking. Only ``log`` touches the journal.
"""

from shirube.outcomes.facts import SessionFacts
from shirube.outcomes.phrases import Judgement, judge
from shirube.outcomes.records import Decision, Outcome, Result

__all__ = ["Decision", "Judgement", "Outcome", "Result", "SessionFacts", "judge"]
