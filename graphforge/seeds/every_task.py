"""No digital filter: what isn't digital is left to the engine to tell, from the words of the statements."""

from pydantic import BaseModel, ConfigDict

from .digital import Digital
from .tables import OccupationTables


class EveryTask(BaseModel):
    """Leaves the tables as they are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def apply(self, tables: OccupationTables) -> Digital:
        """The tables, nothing rejected."""
        return Digital(tables)
