"""The edge of every stage: faults in one line, outputs that appear whole or not at all, one MLflow run.

::

    @hydra.main(version_base="1.3", config_path="../conf", config_name="config")
    def main(cfg: DictConfig) -> None:
        with stage(cfg, "tasks.jsonl") as (config, desk):
            graphs = desk.read("graphs/graphs.jsonl", EvidenceGraph)
            ...
            desk.write("tasks.jsonl", tasks)
            desk.close(len(graphs), len(tasks), rejections)

    if __name__ == "__main__":
        one_line(main)
"""

import errno
import logging
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import ValidationError

import graphforge  # noqa: F401  (switches usage reporting off before anything else is imported)
from graphforge.config import Config, flatten, validate
from graphforge.errors import GraphForgeError, InputError, RecordError
from graphforge.llm import Client, Heard, Spent
from graphforge.records import (
    Record,
    Rejection,
    StageCount,
    explain,
    read_jsonl,
    storage_error,
    write_bytes,
    write_jsonl,
)
from graphforge.report import Columns
from graphforge.tracking import Run, record_run, store_root, track
from pipelines._estimate import check, expected, shown
from pipelines._scratch import scratch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

R = TypeVar("R", bound=Record)

_BOOKS = ("rejected.jsonl", "counts.json")
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Stopped(BaseException):
    """A fault that a person can mend, on its way to the edge. No Exception, or Hydra would report it as well."""


class Desk:
    """Where a stage works: it reads below ``config.data`` and writes below a folder that nobody sees yet."""

    def __init__(self, run: Run, data: Path, folder: Path):
        self._run = run
        self._data = data
        self.folder = folder
        self.track = track
        self.barren: StageCount | None = None

    def source(self, path: Path) -> Path:
        """A file or folder outside the line of data, logged to MLflow as an input with DVC's hash."""
        self._run.input(path)
        return path

    def input(self, name: str) -> Path:
        """The path of an earlier stage's output, logged likewise."""
        return self.source(self._data / name)

    def read(self, name: str, model: type[R]) -> list[R]:
        """All records of an input file."""
        return list(read_jsonl(self.input(name), model))

    def read_json(self, name: str, model: type[R]) -> R:
        """The one record of an indented JSON file."""
        return read_json(self.input(name), model)

    def write(self, name: str, records: Iterable[Record]) -> None:
        """One line a record."""
        write_jsonl(self.folder / name, records)

    def write_json(self, name: str, record: Record, exclude: set[str] | None = None) -> None:
        """A record as an indented JSON file, without the fields in ``exclude``."""
        write_bytes(self.folder / name, (record.model_dump_json(indent=2, exclude=exclude) + "\n").encode())

    def metrics(self, values: dict[str, float]) -> None:
        """Numbers for the MLflow run."""
        self._run.metrics(values)

    def table(self, name: str, columns: Columns) -> None:
        """A table for the MLflow run, column by column."""
        self._run.table(name, columns)

    def figure(self, name: str, figure: "Figure") -> None:
        """A figure for the MLflow run."""
        self._run.figure(name, figure)

    def spans(self, calls: Sequence[Heard]) -> None:
        """Calls of models as trace spans of the MLflow run: what they took and cost, nothing of what was said."""
        for call in calls:
            values = {**call.model_dump(exclude={"usage", "started", "seconds"}), **call.usage.model_dump()}
            self._run.span(f"{call.stage} {call.purpose}", call.started, call.seconds, values)

    def close(
        self, inputs: int, outputs: int, rejections: Sequence[Rejection], name: str = "", repeats: int = 0
    ) -> None:
        """The books of the stage: rejected.jsonl and counts.json, and the same counts as metrics.

        A stage with a second book (the files of a library) gives it a ``name``, which goes before both. ``repeats`` are
        the outputs beyond the first of an input.
        """
        prefix = f"{name}_" if name else ""
        count = StageCount.of(name or HydraConfig.get().job.name, inputs, outputs, rejections, repeats)
        self.write(f"{prefix}rejected.jsonl", rejections)
        self.write_json(f"{prefix}counts.json", count)
        dotted = f"{name}." if name else ""
        reasons = {f"{dotted}rejected.{reason}": number for reason, number in count.rejected.items()}
        self.metrics({f"{dotted}inputs": inputs, f"{dotted}outputs": outputs, **reasons})
        if repeats:
            self.metrics({f"{dotted}repeats": repeats})
        if not outputs:
            self.barren = count


def read_json(path: Path, model: type[R]) -> R:
    """The one record of an indented JSON file; InputError where there is none, RecordError where it isn't valid."""
    try:
        return model.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist", "Run the stage that writes it first, or check the path"
        ) from None
    except ValidationError as error:
        raise RecordError(f"{path}: {explain(error)}", "Run the stage that writes it again") from None


@contextmanager
def stage(cfg: DictConfig, *outputs: str, books: bool = True) -> Iterator[tuple[Config, Desk]]:
    """Validate the whole configuration, then give the stage a desk; put its outputs in place at the end.

    ``outputs`` names the files and folders that the stage writes, the one that others wait for first. Those of an
    earlier run are removed before the work, so that after a failure nothing looks finished. With ``books`` the
    stage must close its books; one that passes nothing on is a failure, and leaves only its rejected.jsonl, unless
    the configuration says ``empty: pass``: then its outputs are empty, and one line on stderr says so.
    """
    try:
        config = validate(cfg)
    except GraphForgeError as error:
        raise Stopped(error) from error
    # Libraries below log at any level they like (bm25s at DEBUG); what a person must know is never only logged.
    for handler in logging.getLogger().handlers:
        handler.setLevel(logging.WARNING)
    hydra = HydraConfig.get()
    target = Path(hydra.runtime.output_dir)
    names = (*outputs, *(_BOOKS if books else ()), "run.json")
    partial = target / f".partial-{hydra.job.name}"
    label = f"{hydra.job.name} {hydra.job.override_dirname}".strip()
    try:
        with scratch(), record_run(hydra.job.name, flatten(cfg), label) as run:
            for path in (*(target / name for name in names), partial):
                _remove(path)
            for folder in (partial, *(partial / name for name in outputs if "." not in name)):
                folder.mkdir(parents=True)
            try:
                desk = Desk(run, config.data, partial)
                yield config, desk
                if desk.barren and config.empty == "fail":
                    os.replace(partial / "rejected.jsonl", target / "rejected.jsonl")
                    raise _nothing_left(desk.barren, target)
                write_bytes(partial / "run.json", f'{{"mlflow_run": "{run.id}"}}\n'.encode())
                if missing := [name for name in names if not (partial / name).exists()]:
                    raise RuntimeError(f"{hydra.job.name} ended without writing {', '.join(missing)}")
                for name in reversed(names):
                    os.replace(partial / name, target / name)
                if desk.barren:
                    print(f"graphforge: WARNING: {_nothing_left(desk.barren, target)}", file=sys.stderr)
            finally:
                _remove(partial)
    except GraphForgeError as error:
        raise Stopped(error) from error
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise Stopped(storage_error(target, error)) from error


@asynccontextmanager
async def client(config: Config, desk: Desk, items: int | None = None) -> AsyncIterator[Client]:
    """The models of the stage; what they used up goes to the MLflow run, also where the stage fails.

    First prints what the stage, with its ``items``, and those after it are expected to ask and cost; ConfigError where
    that passes an enforced budget.

    ::

        async with client(config, desk, len(tasks)) as models:
            judge = models.role("judge")
    """
    settings = config.llm
    if settings.ledger is not None:
        settings = settings.model_copy(update={"ledger": store_root() / settings.ledger})
    calls: list[Heard] = []

    def watch(call: Heard) -> None:
        # The key is a hash: its first digits draw the same sample in every run.
        if int(call.key[:8], 16) < settings.spans * 2**32:
            calls.append(call)

    async with Client(dict(config.models), settings, watch) as models:
        before = models.spent()
        if settings.mode != "replay":
            rows = models.forecast(expected(config, HydraConfig.get().job.name, items))
            print(shown(rows, settings.budget), flush=True)
            check(rows, models, settings.run, settings.budget)
            costs = {"llm.estimate.cost": sum(row.cost or 0.0 for row in rows)}
            desk.metrics({**costs, "llm.estimate.tokens": float(sum(row.tokens for row in rows))})
        try:
            yield models
        finally:
            await models.settle()
            after = models.spent()
            desk.metrics({**_used(before, after), **_run_so_far(after)})
            desk.spans(calls)


def _used(before: Sequence[Spent], after: Sequence[Spent]) -> dict[str, float]:
    """What was used up between two books, by role: calls, failures, tokens, US dollars."""
    fields = ("calls", "failures", "input", "cached", "output", "reasoning", "cost", "assumed", "unpriced")
    used: dict[str, float] = {}
    for sign, books in ((-1, before), (1, after)):
        for row in books:
            for field in fields:
                name = f"llm.{row.role}.{field}"
                used[name] = used.get(name, 0.0) + sign * getattr(row, field)
    return {name: value for name, value in used.items() if used[f"{name.rsplit('.', 1)[0]}.calls"]}


def _run_so_far(books: Sequence[Spent]) -> dict[str, float]:
    """What the whole run has used up, for all roles and stages: also what killed stages were billed for, which could
    tell nobody. ``assumed`` is of calls that may have been billed and whose answer never arrived."""
    fields = ("calls", "failures", "cost", "assumed", "assumed_tokens", "unpriced")
    return {f"llm.run.{field}": sum(float(getattr(row, field)) for row in books) for field in fields}


def sort(results: Iterable[R | Rejection]) -> tuple[list[R], list[Rejection]]:
    """What a room passed on, and what it rejected, each in order."""
    passed: list[R] = []
    rejections: list[Rejection] = []
    for result in results:
        if isinstance(result, Rejection):
            rejections.append(result)
        else:
            passed.append(result)
    return passed, rejections


def one_line(main: Callable[[], Any]) -> None:
    """Run a Hydra main. A fault that a person can mend is one line on stderr and exit code 2, without a traceback.

    An unexpected exception keeps its traceback. ``HYDRA_FULL_ERROR=1`` asks for tracebacks of everything.
    """
    # argparse takes overrides from one place only: `a=1 -m b=2,3` would lose the second.
    sys.argv[1:] = sorted(sys.argv[1:], key=lambda word: word not in {"-m", "--multirun"})
    if os.environ.get("HYDRA_FULL_ERROR") == "1":
        main()
        return
    # A polite kill must still mark the MLflow run as failed.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        main()
    except (Stopped, GraphForgeError) as error:
        _leave(str(error))
    except OverrideParseException as error:
        _leave(f"{error.override} can't be read as an override. Write key=value, or group=option")
    except MissingConfigException as error:
        _leave(_unknown_option(error))
    except (HydraException, OmegaConfBaseException) as error:
        _leave(_bad_override(error))
    except OSError as error:
        if error.errno not in _FULL:
            raise
        _leave(str(storage_error(Path(error.filename or "."), error)))
    finally:
        os.environ.pop("HYDRA_FULL_ERROR", None)


def _nothing_left(count: StageCount, target: Path) -> InputError:
    reasons = ", ".join(f"{reason} {number}" for reason, number in count.rejected.items())
    return InputError(
        f"{count.stage}: none of {count.inputs} inputs was passed on ({reasons or 'there were none'})",
        f"{target / 'rejected.jsonl'} says why of each; widen the input or the settings"
        if count.inputs
        else "See the stages before",
    )


def known_keys(conf: Path, key: str) -> list[str]:
    """The keys of the composed default configuration beside ``key``, at the deepest level of it that exists."""
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    GlobalHydra.instance().clear()
    with initialize_config_dir(str(conf.resolve()), version_base="1.3"):
        node: Any = OmegaConf.to_container(compose("config"), resolve=False)
    prefix: list[str] = []
    for step in key.split(".")[:-1]:
        if not isinstance(node, dict) or not isinstance(node.get(step), dict):
            break
        node = node[step]
        prefix.append(step)
    return [".".join([*prefix, name]) for name in sorted(node) if name != "_target_"]


def _unknown_option(error: MissingConfigException) -> str:
    if error.missing_cfg_file == "params":
        return "There is no params.yaml here. Run `make params`, from the root of the repository"
    if not error.options:
        return _flat(str(error).split("Config search path")[0])
    group, _, given = str(error.missing_cfg_file).rpartition("/")
    return f"{group}={given}: there is no such option. Use one of: {', '.join(error.options)}"


def _bad_override(error: Exception) -> str:
    text = str(error)
    if error.__cause__ is not None:
        text = f"{text} ({str(error.__cause__).splitlines()[0]})" if text else str(error.__cause__)
    if "Could not override '" in text:
        key = text.split("Could not override '", 1)[1].split("'", 1)[0]
        if "No match in the defaults list" in text:
            remedy = (
                "It is no group there. With -cn frozen the values come from params.yaml: use dvc exp run -S"
            )
            return f"{key} can't be overridden. {remedy}"
        known = known_keys(Path(__file__).resolve().parents[1] / "conf", key)
        if key not in known:
            listed = f" Use one of: {', '.join(known)}." if known else ""
            return f"{key} is no known key.{listed} A key that an option leaves out is given as +{key}=..."
    return _flat(text)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _leave(message: str) -> NoReturn:
    print(f"graphforge: {message}", file=sys.stderr)
    sys.exit(2)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
