"""Why something was not admitted."""

from pydantic import Field

from ..records import Record


class Reason(Record):
    """``word`` is short and stable, so that it can be counted; ``detail`` is one line for a person."""

    word: str = Field(pattern=r"^[a-z0-9_]+$")
    detail: str
