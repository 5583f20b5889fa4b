"""The pairs are what they say, and a fair wording is told from an unfair one as well as was measured."""

from benchmarks.frames.__main__ import HALVES, LANGUAGES, WAYS, errors, read_pairs, unrelated

from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.embed.static import StaticEmbedder
from shirube.features.plan.sense import cosine_of

BOUNDS = {
    ("development", WAYS[1]): (40, 6),
    ("development", WAYS[2]): (19, 9),
    ("test", WAYS[1]): (14, 4),
    ("test", WAYS[2]): (12, 8),
}
"""Half and way → the most fair pairs that may be refused, and unfair ones accepted."""


def test_there_are_as_many_fair_as_unfair_pairs_in_each_half_and_language_and_no_topic_is_in_both():
    pairs = read_pairs()
    for half in HALVES:
        for language in LANGUAGES:
            found = [pair.fair for pair in pairs if (pair.half, pair.language) == (half, language)]
            assert 2 * sum(found) == len(found) >= 28
    topics = [{pair.topic for pair in pairs if pair.half == half} for half in HALVES]
    assert topics[0].isdisjoint(topics[1])
    assert len({(pair.value, pair.quote) for pair in pairs}) == len(pairs)


def test_the_errors_are_not_more_than_were_measured():
    pairs, cosine = read_pairs(), cosine_of(StaticEmbedder())
    for (half, way), (most_refused, most_accepted) in BOUNDS.items():
        part = [pair for pair in pairs if pair.half == half]
        refused, _, accepted, _ = errors(way, part, cosine)
        assert refused <= most_refused, (half, way)
        assert accepted <= most_accepted, (half, way)
        _, _, taken, drawn = errors(way, unrelated(part), cosine)
        assert taken <= 0.03 * drawn, (half, way)


def test_a_model_without_meanings_is_not_asked():
    assert cosine_of(HashedEmbedder()) is None
