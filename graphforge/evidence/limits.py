"""How large an evidence graph may grow."""

from pydantic import BaseModel, ConfigDict, Field


class EvidenceLimits(BaseModel):
    """How large a graph may grow, and what may be searched for it.

    Rows are those of one table; a quotation group is one text on one measure. ``longest`` is the most rows of a table
    that is compared line by line, ``most_lines`` the most columns and rows, ``most_figures`` the most single cells of
    a file, ``most_steps`` rows times groupings of the sums over one table, ``most_terms`` the most cells that one
    computation may take in, ``most_found`` the relations of a kind that a survey keeps.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    least_rows: int = Field(ge=3)
    most_rows: int = Field(ge=3)
    least_quotations: int = Field(ge=2)
    most_measures: int = Field(ge=2)
    longest: int = Field(ge=3)
    most_lines: int = Field(ge=1)
    most_figures: int = Field(ge=1)
    most_steps: int = Field(ge=1)
    most_terms: int = Field(ge=2)
    most_found: int = Field(ge=0)
