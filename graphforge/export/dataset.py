"""A dataset folder as the Hugging Face hub lays it out: ``README.md`` and ``data/train-00000-of-00001.parquet``."""

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from ..records import Admitted, Workspace, write_bytes
from .card import dataset_card
from .chat import chat_messages, metadata
from .tools import check_tools, offered

PARQUET = "data/train-00000-of-00001.parquet"

_CALL = pyarrow.struct(
    [
        ("id", pyarrow.string()),
        ("type", pyarrow.string()),
        ("function", pyarrow.struct([("name", pyarrow.string()), ("arguments", pyarrow.string())])),
    ]
)
_MESSAGE = pyarrow.struct(
    [
        ("role", pyarrow.string()),
        ("content", pyarrow.string()),
        ("tool_calls", pyarrow.list_(_CALL)),
        ("tool_call_id", pyarrow.string()),
    ]
)
_FILE = pyarrow.struct([("name", pyarrow.string()), ("sha256", pyarrow.string()), ("bytes", pyarrow.int64())])

SCHEMA = pyarrow.schema(
    [
        ("id", pyarrow.string()),
        ("messages", pyarrow.list_(_MESSAGE)),
        ("tools", pyarrow.string()),
        ("workspace", pyarrow.string()),
        ("occupation", pyarrow.string()),
        ("sector", pyarrow.string()),
        ("topic", pyarrow.string()),
        ("pattern", pyarrow.string()),
        ("input_files", pyarrow.list_(pyarrow.string())),
        ("deliverables", pyarrow.list_(_FILE)),
        ("agent", pyarrow.string()),
        ("informed", pyarrow.bool_()),
        ("status", pyarrow.string()),
        ("judge", pyarrow.string()),
        ("score", pyarrow.float64()),
        ("exit_codes", pyarrow.string()),
        ("truncated", pyarrow.list_(pyarrow.int64())),
    ]
)


def write_dataset(
    records: Sequence[Admitted], workspaces: Mapping[str, Workspace], folder: Path
) -> list[Path]:
    """Write the parquet file, then the card; returns both paths.

    A row is a trajectory, its columns are ``SCHEMA``: ``messages`` in the form of chat completions, ``tools`` and
    ``exit_codes`` as JSON text, ``bytes`` in bytes. ``workspaces`` maps ids to the workspaces of the tasks, for the
    sources. RecordError where one is missing, StorageError where the disk refuses.
    """
    card = dataset_card(records, workspaces)
    table = pyarrow.Table.from_pylist([_row(record) for record in records], schema=SCHEMA)
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd", store_schema=True)
    write_bytes(folder / PARQUET, buffer.getvalue())
    write_bytes(folder / "README.md", card.encode())
    return [folder / PARQUET, folder / "README.md"]


def _row(record: Admitted) -> dict[str, Any]:
    check_tools(record.trajectory)
    about = metadata(record)
    about["exit_codes"] = json.dumps(about["exit_codes"])
    return {
        "id": record.spec.id,
        "messages": chat_messages(record.trajectory),
        "tools": json.dumps(offered(record.trajectory)),
        **about,
    }
