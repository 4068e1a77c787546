"""Occupations from the O*NET database (text edition), fetched and unpacked by the user."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from .onet_text import load_folder
from .tables import OccupationTables


class OnetOccupations(BaseModel):
    """``root`` is the folder with the release's .txt tables.

    O*NET data are published under CC BY 4.0 by the U.S. Department of Labor, Employment and Training
    Administration; whoever publishes seeds made from them gives that credit.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: Path

    def load(self) -> OccupationTables:
        """The tables (InputError names the first thing that doesn't fit)."""
        return load_folder(self.root)
