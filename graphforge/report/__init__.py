"""Report: the funnel, what a selection covers, how strategies compare; as records, tables, figures and plain text."""

from .comparison import compare
from .evenness import entropy, gini
from .funnel import Coverage, Funnel, gather
from .heat_map import heat_map
from .reach import Columns, Reach, Tally, Values, plural, reach_of
from .tables import show_columns, show_coverage, show_funnel, text_table
from .task_page import task_page
from .verification import show_verification

__all__ = [
    "Columns",
    "Coverage",
    "Funnel",
    "Reach",
    "Tally",
    "Values",
    "compare",
    "entropy",
    "gather",
    "gini",
    "heat_map",
    "plural",
    "reach_of",
    "show_columns",
    "show_coverage",
    "show_funnel",
    "show_verification",
    "task_page",
    "text_table",
]
