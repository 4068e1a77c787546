"""The embedded occupation table: small, of our own wording, in the form of the O*NET text release."""

from dataclasses import replace
from importlib.resources import as_file, files

from pydantic import BaseModel, ConfigDict

from .onet_join import load_folder
from .tables import OccupationTables


class DemoOccupations(BaseModel):
    """Needs nothing but the installed package. ``demo/README.md`` says what is ours and what isn't."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def load(self) -> OccupationTables:
        """The tables."""
        with as_file(files("graphforge.seeds") / "demo") as folder:
            # The folder may be unpacked for a moment only, and its path is none of the user's.
            return replace(load_folder(folder), name="the embedded table", origin=None)
