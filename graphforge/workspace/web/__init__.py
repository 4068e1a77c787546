"""Files from the web: search engines, a polite fetcher, and a folder of what it fetched (docs/design/web.md)."""

from .brave import BraveSearch
from .ddgs import DdgsSearch
from .fetcher import Fetched, Fetcher
from .fetching import Fetching
from .search import Gathered, Plan, WebSearch
from .searxng import SearxngSearch
from .serper import SerperSearch
from .tavily import TavilySearch

__all__ = [
    "BraveSearch",
    "DdgsSearch",
    "Fetched",
    "Fetcher",
    "Fetching",
    "Gathered",
    "Plan",
    "SearxngSearch",
    "SerperSearch",
    "TavilySearch",
    "WebSearch",
]
