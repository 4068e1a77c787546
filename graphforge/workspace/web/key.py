"""The key of a search engine, which only ever stands in the environment."""

import os

from ...errors import InputError


def key_from(variable: str, engine: str) -> str:
    """The value of an environment variable; InputError where it is not set."""
    value = os.environ.get(variable, "").strip()
    if not value:
        raise InputError(
            f"search={engine} needs a key in the environment variable {variable}, which is not set",
            f"Set it (export {variable}=...), or use another engine (search=ddgs needs none)",
        )
    return value
