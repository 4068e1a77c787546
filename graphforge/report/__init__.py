"""What the line of data did: the funnel over its stages, and what the admitted tasks cover."""

from .funnel import Coverage, Funnel, gather
from .tables import show_coverage, show_funnel, text_table

__all__ = ["Coverage", "Funnel", "gather", "show_coverage", "show_funnel", "text_table"]
