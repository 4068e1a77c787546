"""The sentence model in numpy: against a slow computation by loops, and the real model against published figures."""

import json
import math
from pathlib import Path

import numpy
import pytest
import yaml
from hydra.utils import instantiate

from graphforge.embedding.sentence_encoder import HEADS, SentenceEncoder, read_safetensors
from graphforge.errors import InputError
from graphforge.llm.weights import cache_folder

ROOT = Path(__file__).resolve().parents[2]
WIDTH, INNER, LAYERS = 24, 48, 2
WORDS = ["[UNK]", "[CLS]", "[SEP]", "check", "the", "ledger", "bank", "statement"]


def tensors() -> dict[str, numpy.ndarray]:
    random = numpy.random.default_rng(3)
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (300, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        for part in (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
        ):
            shapes |= {f"{name}.{part}.weight": (WIDTH, WIDTH), f"{name}.{part}.bias": (WIDTH,)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{name}.{part}.weight": (WIDTH,), f"{name}.{part}.bias": (WIDTH,)}
        shapes |= {
            f"{name}.intermediate.dense.weight": (INNER, WIDTH),
            f"{name}.intermediate.dense.bias": (INNER,),
        }
        shapes |= {f"{name}.output.dense.weight": (WIDTH, INNER), f"{name}.output.dense.bias": (WIDTH,)}
    return {name: random.normal(0, 0.7, shape).astype("<f4") for name, shape in shapes.items()}


def save(path: Path, values: dict[str, numpy.ndarray]) -> None:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, value in values.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(value.shape),
            "data_offsets": [len(body), len(body) + value.nbytes],
        }
        body += value.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


@pytest.fixture
def encoder(tmp_path: Path) -> SentenceEncoder:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    made.save(str(tmp_path / "tokenizer.json"))
    save(tmp_path / "model.safetensors", tensors())
    return SentenceEncoder(tmp_path / "model.safetensors", tmp_path / "tokenizer.json")


def slowly(ids: list[int]) -> list[float]:
    """The same model token by token and head by head, in double precision, with the exact error function."""
    t = {name: value.astype(float) for name, value in tensors().items()}

    def linear(name, x):
        return [float(row @ x + b) for row, b in zip(t[f"{name}.weight"], t[f"{name}.bias"], strict=True)]

    def norm(name, x):
        x = numpy.asarray(x)
        centred = (x - x.mean()) / math.sqrt(x.var() + 1e-12)
        return centred * t[f"{name}.weight"] + t[f"{name}.bias"]

    state = [
        norm(
            "embeddings.LayerNorm",
            t["embeddings.word_embeddings.weight"][one]
            + t["embeddings.position_embeddings.weight"][at]
            + t["embeddings.token_type_embeddings.weight"][0],
        )
        for at, one in enumerate(ids)
    ]
    size = WIDTH // HEADS
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        q, k, v = (
            [linear(f"{name}.attention.self.{part}", x) for x in state] for part in ("query", "key", "value")
        )
        mixed = []
        for at in range(len(ids)):
            row = []
            for head in range(HEADS):
                own = slice(head * size, (head + 1) * size)
                raw = [math.exp(numpy.dot(q[at][own], other[own]) / math.sqrt(size)) for other in k]
                for place in range(size):
                    weighted = sum(w * other[own][place] for w, other in zip(raw, v, strict=True))
                    row.append(weighted / sum(raw))
            mixed.append(numpy.asarray(row))
        state = [
            norm(f"{name}.attention.output.LayerNorm", x + linear(f"{name}.attention.output.dense", m))
            for x, m in zip(state, mixed, strict=True)
        ]
        inner = [
            numpy.asarray(
                [z * (1 + math.erf(z / math.sqrt(2))) / 2 for z in linear(f"{name}.intermediate.dense", x)]
            )
            for x in state
        ]
        state = [
            norm(f"{name}.output.LayerNorm", x + linear(f"{name}.output.dense", i))
            for x, i in zip(state, inner, strict=True)
        ]
    mean = numpy.mean(state, axis=0)
    return list(mean / numpy.linalg.norm(mean))


def test_vectors_are_those_of_the_slow_computation_whatever_else_is_encoded(encoder: SentenceEncoder) -> None:
    texts = ["check the ledger", "bank", "check bank statement", "nothing known here at all"]
    found = encoder.encode(texts)
    assert numpy.allclose(numpy.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert numpy.allclose(found[0], slowly([1, 3, 4, 5, 2]), atol=1e-4)
    assert numpy.allclose(found[1], slowly([1, 6, 2]), atol=1e-4)
    assert numpy.allclose(found[2], encoder.encode(texts[2:3])[0], atol=1e-5)


def test_a_long_text_is_read_up_to_the_limit(encoder: SentenceEncoder) -> None:
    assert encoder.encode(["bank " * 1000]).shape == (1, WIDTH)


def test_a_file_that_is_no_safetensors_is_one_clear_line(tmp_path: Path) -> None:
    for content in (b"", b"\x05\0\0\0\0\0\0\0nope!", b"\xff" * 40):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(InputError, match="safetensors"):
            read_safetensors(tmp_path / "x")


def test_the_real_model_gives_the_figures_of_its_documentation() -> None:
    pytest.importorskip("tokenizers")
    settings = instantiate(yaml.safe_load((ROOT / "conf/retrieval/embeddings.yaml").read_text()))
    if not (cache_folder() / "models" / settings.weights_sha256 / "model.safetensors").is_file():
        pytest.skip(
            "needs the sentence model, which isn't in the cache: run a stage with retrieval=embeddings"
        )
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = settings.encoder().encode(texts)
    expected = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    assert numpy.allclose(vectors @ vectors.T, expected, atol=1e-4)
