"""How much of a file is read: every loop over foreign content ends at one of these."""

from pydantic import BaseModel, ConfigDict, Field


class ParseLimits(BaseModel):
    """Bounds on what one file may cost.

    ``bytes`` and the zip bounds reject a file; the others cut it short with ``truncated`` on the table or a
    warning on the document, because the part that was read is still right.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: int = Field(default=64 * 2**20, gt=0, description="largest file read")
    unpacked: int = Field(default=512 * 2**20, gt=0, description="largest sum of a zip's members, unpacked")
    member: int = Field(default=256 * 2**20, gt=0, description="largest zip member, unpacked")
    ratio: float = Field(default=150.0, gt=1, description="largest packing ratio of a member over 16 MiB")
    members: int = Field(default=10_000, gt=0, description="most zip members")
    cells: int = Field(default=8_000_000, gt=0, description="largest rectangle of used cells of a sheet")
    sheets: int = Field(default=200, gt=0, description="most sheets read")
    rows: int = Field(default=100_000, gt=1, description="most rows of a sheet or table")
    columns: int = Field(default=1_024, gt=1, description="most columns of a sheet or table")
    table_cells: int = Field(default=1_000_000, gt=1, description="most cells of a sheet or table")
    tables: int = Field(default=400, gt=0, description="most tables of a document")
    pages: int = Field(default=600, gt=0, description="most pages or slides read")
    blocks: int = Field(default=20_000, gt=0, description="most text blocks of a document")
    depth: int = Field(default=64, gt=0, description="deepest nesting followed in html, docx and json")
