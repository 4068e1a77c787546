"""A BERT encoder of sentences (the MiniLM family) in numpy, from a safetensors file.

The usual way to run it brings torch, for a handful of matrix products. Token, position and type embeddings come
before layers of self-attention and a feed-forward part, each with a residual and layer norm; then the mean over the
tokens, at unit length.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy
from numpy.typing import NDArray

from graphforge.errors import InputError

Array = NDArray[numpy.float32]

HEADS = 12
LONGEST = 256
BATCH_TOKENS = 2048
_EPSILON = 1e-12


class SentenceEncoder:
    """Unit vectors of texts; what goes beyond ``LONGEST`` tokens of a text is not read."""

    def __init__(self, weights: Path, tokenizer: Path):
        try:
            from tokenizers import Tokenizer
        except ModuleNotFoundError:
            raise InputError(
                "Ranking by embeddings needs tokenizers, which isn't installed",
                'Run: python -m pip install "graphforge[local]"',
            ) from None
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.no_padding()
        self._weights = read_safetensors(weights)
        self._layers = sum(name.endswith("attention.self.query.weight") for name in self._weights)

    def encode(self, texts: Sequence[str]) -> Array:
        """Texts x dimensions. Texts of one length are computed together, so that nothing has to be padded."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        found = numpy.zeros(
            (len(texts), self._weights["embeddings.word_embeddings.weight"].shape[1]), numpy.float32
        )
        for batch in _batches([len(one) for one in tokens]):
            found[batch] = self._forward(numpy.asarray([tokens[place] for place in batch]))
        return found

    def _forward(self, ids: NDArray[numpy.int64]) -> Array:
        weights = self._weights
        state: Array = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        state = self._norm("embeddings.LayerNorm", state)
        for layer in range(self._layers):
            name = f"encoder.layer.{layer}"
            state = self._norm(
                f"{name}.attention.output.LayerNorm", state + self._attention(f"{name}.attention", state)
            )
            inner = _gelu(self._linear(f"{name}.intermediate.dense", state))
            state = self._norm(
                f"{name}.output.LayerNorm", state + self._linear(f"{name}.output.dense", inner)
            )
        mean = state.mean(axis=1)
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)

    def _attention(self, name: str, state: Array) -> Array:
        texts, length, width = state.shape
        size = width // HEADS

        def heads(part: str) -> Array:
            projected = self._linear(f"{name}.self.{part}", state)
            return projected.reshape(texts, length, HEADS, size).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / numpy.float32(size**0.5)
        scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ heads("value")
        return self._linear(f"{name}.output.dense", mixed.transpose(0, 2, 1, 3).reshape(texts, length, width))

    def _linear(self, name: str, state: Array) -> Array:
        flat = state.reshape(-1, state.shape[-1]) @ self._weights[f"{name}.weight"].T
        return flat.reshape(*state.shape[:-1], -1) + self._weights[f"{name}.bias"]

    def _norm(self, name: str, state: Array) -> Array:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = numpy.sqrt((centred * centred).mean(axis=-1, keepdims=True) + numpy.float32(_EPSILON))
        return centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def read_safetensors(path: Path) -> dict[str, Array]:
    """The 32-bit float tensors of a safetensors file: eight bytes of length, a JSON header, the numbers.

    InputError where it isn't one.
    """
    raw = path.read_bytes()
    try:
        size = int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8 : 8 + size])
        found: dict[str, Array] = {}
        for name, entry in header.items():
            if name == "__metadata__" or entry["dtype"] != "F32":
                continue
            start, end = entry["data_offsets"]
            numbers = numpy.frombuffer(raw[8 + size + start : 8 + size + end], "<f4")
            found[name] = numbers.reshape(entry["shape"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} is no safetensors file ({error})", "Delete it, so that it is fetched again"
        ) from None
    return found


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts of one length, of at most ``BATCH_TOKENS`` tokens in all."""
    by_length: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        by_length.setdefault(length, []).append(place)
    for length, places in sorted(by_length.items()):
        step = max(1, BATCH_TOKENS // length)
        for start in range(0, len(places), step):
            yield places[start : start + step]


def _gelu(state: Array) -> Array:
    """x times the normal distribution of x; the error function by Abramowitz and Stegun 7.1.26 (off by 2e-7)."""
    scaled = numpy.abs(state) * numpy.float32(0.5**0.5)
    part = 1 / (1 + numpy.float32(0.3275911) * scaled)
    series = numpy.zeros_like(part)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + numpy.float32(factor)) * part
    tail = series * numpy.exp(-scaled * scaled)
    return state * numpy.where(state >= 0, 1 - tail / 2, tail / 2).astype(numpy.float32)
