"""The pages, in the order in which they are shown."""

from shirube.doors.web.pages.context import CONTEXT
from shirube.doors.web.pages.graph import GRAPH
from shirube.doors.web.pages.index import INDEX
from shirube.doors.web.pages.insights import INSIGHTS
from shirube.doors.web.pages.map import MAP
from shirube.doors.web.pages.plans import PLANS
from shirube.doors.web.pages.search import SEARCH
from shirube.doors.web.pages.sessions import SESSIONS
from shirube.doors.web.visit import Page

PAGES: tuple[Page, ...] = (SEARCH, CONTEXT, GRAPH, PLANS, SESSIONS, MAP, INSIGHTS, INDEX)
