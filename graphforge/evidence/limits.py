"""How large an evidence graph may grow."""

from pydantic import BaseModel, ConfigDict, Field


class EvidenceLimits(BaseModel):
    """How large a graph may grow. Rows are those of one table; a quotation group is one text on one measure."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    least_rows: int = Field(ge=3)
    most_rows: int = Field(ge=3)
    least_quotations: int = Field(ge=2)
    most_measures: int = Field(ge=2)
