"""Typed view of the composed configuration. It is validated whole before any work starts.

A group's ``_target_`` is a frozen pydantic model of the room that offers the variant; here stands only what each
role must be able to do, so that a new variant is one file in its room and one yaml in ``conf/``.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from hydra.errors import InstantiationException
from hydra.utils import get_class, instantiate
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from .admission import Admission, BehaviourFilter
from .errors import ConfigError, InputError
from .evidence import EvidenceLimits
from .judging import VerifierTests
from .llm import LlmSettings, Model, NoModel
from .records import (
    ExecutionPattern,
    Plan,
    PublicTask,
    TaskSpec,
    Trajectory,
)
from .workspace import AssemblySettings, Fetching, LicenceGate, WebSearch


@runtime_checkable
class Occupations(Protocol):
    """Where occupations, tasks and activities come from."""

    def load(self) -> Any: ...


@runtime_checkable
class DigitalFilter(Protocol):
    """Which of the tasks can be done by digital means: gives a ``graphforge.seeds.Digital``."""

    def apply(self, tables: Any) -> Any: ...


@runtime_checkable
class Retrieval(Protocol):
    """Which passages are the evidence of an occupation and an activity."""

    def open(self, tables: Any) -> Any: ...


@runtime_checkable
class Balance(Protocol):
    """Which candidates to select, so that the result covers the dimensions."""

    def select(self, candidates: Sequence[Any], count: int, cap: int | None = None) -> list[int]: ...


@runtime_checkable
class Search(Protocol):
    """Where real files come from: a folder. Those of the web are ``WebSearch``, which make a folder first."""

    def open(self, cache: Path | None = None, track: Any = None, licences: Any = None) -> Any: ...


@runtime_checkable
class Agent(Protocol):
    """Who does the work."""

    def run(
        self,
        task: PublicTask,
        inputs: Mapping[str, Path],
        keep: Path,
        sandbox: Any,
        solution: Plan | None,
    ) -> Trajectory: ...


@runtime_checkable
class Reviser(Protocol):
    """Who proposes the patch of a specification: by ``propose``, or by ``propose_with`` a speaker (``uses_model``)."""

    uses_model: ClassVar[bool]


@runtime_checkable
class Grader(Protocol):
    """Who says what fraction of a criterion is met; ``open`` gives one at work (``uses_model``: with a speaker)."""

    uses_model: ClassVar[bool]

    def open(self, sight: Any) -> Any: ...


@runtime_checkable
class Judge(Protocol):
    """Who picks one of a pool of candidates."""

    name: ClassVar[str]
    grades: ClassVar[bool]

    def pick(self, spec: TaskSpec, pool: Sequence[Any], grader: Any) -> Any: ...

    async def pick_jointly(self, spec: TaskSpec, pool: Sequence[Any], grader: Any) -> Any: ...


class Models(BaseModel):
    """The model of each role (``llm@models.<role>``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    builder: Model | NoModel
    teacher: Model | NoModel
    reviser: Model | NoModel
    judge: Model | NoModel
    student: Model | NoModel


class Settings(BaseModel):
    """Base of the plain sections: frozen, and no key that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Engine(Settings):
    """How graphs and tasks are made: the name of the engine and the patterns it can compile (``conf/engine/``).

    For a model: ``pairs_per_seed`` pairs of occupation and activity asked for each seed wanted, ``turns`` of a search.
    """

    name: str = Field(min_length=1)
    patterns: tuple[ExecutionPattern, ...] = Field(min_length=1)
    pairs_per_seed: int = Field(default=1, ge=1)
    turns: int = Field(default=1, ge=1)


class SeedSettings(Settings):
    """``count``: seeds to select. ``demand_cap``: how many may share a normalized demand (null: no limit)."""

    count: int = Field(ge=1)
    demand_cap: int | None = Field(ge=1)


class RebalanceSettings(Settings):
    """``count``: workspaces to select over their actual input and output families; the cap as for seeds."""

    count: int = Field(ge=1)
    demand_cap: int | None = Field(ge=1)


class CalibrateSettings(Settings):
    """``repeats``: how often a model judges each pool; more than once says how far it agrees with itself."""

    repeats: int = Field(ge=1)


class WatchedInputs(Settings):
    """The inputs of the seeds stage outside the line of data, for DVC alone: each follows its group's own key."""

    occupations: str
    labels: str
    passages: str


class Config(Settings):
    """The whole configuration, one field a top-level key of ``conf/config.yaml``.

    ``empty``: what becomes of a stage that passes nothing on. "fail" ends it with a fault; with "pass" it writes
    empty outputs and says so, for lines of which little is expected.
    """

    seed: int
    data: Path
    library: Path
    watched: WatchedInputs
    empty: Literal["fail", "pass"]
    seeds: SeedSettings
    rebalance: RebalanceSettings
    engine: Engine
    models: Models
    llm: LlmSettings
    occupations: Occupations
    digital: DigitalFilter
    retrieval: Retrieval
    balance: Balance
    search: WebSearch | Search
    licence: LicenceGate
    fetch: Fetching
    assembly: AssemblySettings
    graphs: EvidenceLimits
    sandbox: Any
    agent: Agent
    golden: Agent
    verify: VerifierTests
    calibrate: CalibrateSettings
    # Each comes in two shapes, told apart by `uses_model`; the stages know them.
    reviser: Any
    grader: Any
    judge: Judge
    beside: dict[str, Judge] = Field(min_length=1)
    admission: Admission
    behaviour: BehaviourFilter

    @field_validator("reviser", "grader")
    @classmethod
    def _fits(cls, value: Any, info: ValidationInfo) -> Any:
        kind: type[Any] = {"reviser": Reviser, "grader": Grader}[info.field_name or ""]
        if not isinstance(value, kind):
            raise ValueError(f"Input should be an instance of {kind.__name__}")
        return value


def validate(cfg: DictConfig) -> Config:
    """The configuration as :class:`Config`, or one ConfigError that names key, given value and what is allowed.

    InputError where a folder that the configuration names doesn't exist.
    """
    try:
        plain = OmegaConf.to_container(cfg, resolve=True, throw_on_missing=True)
        built = instantiate(OmegaConf.create(plain), _convert_="all")
        config = Config.model_validate(built)
    except MissingMandatoryValue as error:
        key = error.full_key or "?"
        raise ConfigError(f"{key} has no value", f"Give it one: {key}=...") from None
    except OmegaConfBaseException as error:
        raise ConfigError(f"{error.full_key or 'conf'}: {_first_line(error)}", "Correct the value") from None
    except InstantiationException as error:
        raise _explain_group(error, plain) from None
    except ValidationError as error:
        raise ConfigError(*_explain(error, "", Config)) from None
    for name in type(config).model_fields:
        _check_folder(name, getattr(config, name))
    return config


def flatten(cfg: DictConfig) -> dict[str, str]:
    """The composed values by dotted key, as text: the parameters of an MLflow run."""
    flat: dict[str, str] = {}

    def walk(key: str, value: Any) -> None:
        if isinstance(value, dict) and value:
            for name, inner in value.items():
                walk(f"{key}.{name}" if key else str(name), inner)
        else:
            flat[key] = str(value)

    walk("", OmegaConf.to_container(cfg, resolve=True))
    return flat


def _explain_group(error: InstantiationException, plain: Any) -> ConfigError:
    """A group's own model refused its values: say which key of the whole configuration it was."""
    text = str(error)
    key = text.rsplit("full_key:", 1)[1].strip() if "full_key:" in text else ""
    cause: BaseException | None = error.__cause__
    while cause is not None and not isinstance(cause, ValidationError):
        cause = cause.__cause__
    if isinstance(cause, ValidationError):
        node: Any = plain
        for step in key.split("."):
            node = node[step] if isinstance(node, dict) and step in node else {}
        target = node.get("_target_") if isinstance(node, dict) else None
        return ConfigError(*_explain(cause, key, get_class(target) if target else None))
    remedy = "Name a model of graphforge in _target_, as the files in conf/ do"
    return ConfigError(f"{key or 'conf'}: {_first_line(error)}", remedy)


def _explain(error: ValidationError, prefix: str, model: type | None) -> tuple[str, str]:
    """(what, remedy) for the first fault; how many more there are."""
    issues = error.errors(include_url=False)
    issue = issues[0]
    path = ".".join([*([prefix] if prefix else []), *(str(step) for step in issue["loc"])])
    given = repr(issue.get("input"))
    given = given if len(given) <= 60 else given[:57] + "..."
    more = f" (and {len(issues) - 1} more faults)" if len(issues) > 1 else ""
    if issue["type"] == "extra_forbidden":
        fields: Iterable[str] = getattr(model, "model_fields", {}) if len(issue["loc"]) == 1 else ()
        known = f": {', '.join(sorted(fields))}" if fields else ""
        return (
            f"{path} is no known key (given {given}){more}",
            f"Remove it, or use one of those known there{known}",
        )
    if issue["type"] == "missing":
        return f"{path} is missing{more}", f"Give it a value: {path}=..."
    return f"{path}: {issue['msg']} (given {given}){more}", "Correct the value in conf/ or in the override"


def _check_folder(name: str, value: Any) -> None:
    for key in ("root", "passages"):
        folder = getattr(value, key, None)
        if isinstance(folder, Path) and not folder.is_dir():
            what = "is no folder" if folder.exists() else "does not exist"
            raise InputError(f"{name}.{key}: {folder} {what}", f"Set {name}.{key} to an existing folder")


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
