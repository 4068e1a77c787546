"""Occupations from a release of the O*NET database that the user has fetched and unpacked."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from .onet_join import load_folder
from .tables import OccupationTables


class OnetOccupations(BaseModel):
    """``root`` is the folder with the tables of a release: 25.1 or later, text, excel or csv edition.

    O*NET data are published under CC BY 4.0 by the U.S. Department of Labor, Employment and Training
    Administration; whoever publishes seeds made from them gives that credit.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: Path

    def load(self) -> OccupationTables:
        """The tables (InputError names the first thing that doesn't fit)."""
        return load_folder(self.root)
