"""How files are fetched: limits, manners, and whom we say we are."""

from pydantic import BaseModel, ConfigDict, Field

from ...records import stable_hash


class Fetching(BaseModel):
    """Bounds on what is fetched (Agent-R2: 2 MB, 50 pages) and on what is asked of a host.

    ``bytes``: largest file, unpacked. ``pages``: most pages or slides. ``seconds``: longest attempt, from the
    request to the last byte. ``files``: most addresses that a run may ask for. ``concurrency``: files at once.
    ``pause``: seconds between two requests to a host. ``patience``: most seconds that a host may ask to wait, by
    ``Crawl-delay`` or ``Retry-After``. ``attempts`` and ``backoff`` (seconds before the second one, doubling): at
    what may pass. ``allow_hosts``: hosts (``name`` or ``name:port``) that may have private addresses.
    ``deny_hosts``: hosts that are never asked, their subdomains included.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_agent: str = Field(pattern=r"^[A-Za-z][A-Za-z_-]*(?:[/ ][\x20-\x7e]*)?$")
    bytes: int = Field(gt=0)
    pages: int = Field(gt=0)
    seconds: float = Field(gt=0)
    files: int = Field(gt=0)
    concurrency: int = Field(ge=1, le=64)
    pause: float = Field(ge=0)
    patience: float = Field(ge=0)
    attempts: int = Field(ge=1, le=10)
    backoff: float = Field(ge=0)
    redirects: int = Field(ge=0, le=20)
    allow_hosts: tuple[str, ...]
    deny_hosts: tuple[str, ...]

    def version(self) -> str:
        """Changes with whatever decides between a file and a refusal that another run would repeat."""
        return stable_hash(
            self.user_agent, self.bytes, self.patience, self.redirects, self.allow_hosts, self.deny_hosts
        )[:16]
