"""Why something was not fetched."""


class Refusal(Exception):
    """``reason`` is a short stable word, ``detail`` one line for a person.

    ``passing``: another attempt may succeed; after ``wait`` seconds where the server names a time.
    """

    def __init__(self, reason: str, detail: str, *, passing: bool = False, wait: float | None = None):
        self.reason = reason
        self.detail = " ".join(detail.split())
        self.passing = passing
        self.wait = wait
        super().__init__(f"{reason}: {self.detail}")
