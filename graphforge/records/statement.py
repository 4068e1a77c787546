"""The normalized hash of a task statement: the paper's h(q), which decides whether a pilot may be reused."""

import hashlib
import unicodedata


def statement_hash(statement: str) -> str:
    """64 hex digits. Case, Unicode form and white space don't count; every other character does (section 3.4)."""
    folded = unicodedata.normalize("NFKC", statement).casefold()
    return hashlib.sha256(" ".join(folded.split()).encode()).hexdigest()
