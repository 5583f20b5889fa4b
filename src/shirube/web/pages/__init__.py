"""The pages, in the order in which they are shown."""

from shirube.web.pages.context import CONTEXT
from shirube.web.pages.graph import GRAPH
from shirube.web.pages.index import INDEX
from shirube.web.pages.insights import INSIGHTS
from shirube.web.pages.map import MAP
from shirube.web.pages.plans import PLANS
from shirube.web.pages.search import SEARCH
from shirube.web.pages.sessions import SESSIONS
from shirube.web.visit import Page

PAGES: tuple[Page, ...] = (SEARCH, CONTEXT, GRAPH, PLANS, SESSIONS, MAP, INSIGHTS, INDEX)
