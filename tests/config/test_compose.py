"""Every option of every group composes and validates; what doesn't fit is one clear line."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf

from graphforge.config import Config, flatten, validate
from graphforge.errors import ConfigError, GraphForgeError, InputError
from graphforge.llm import Model, NoModel
from pipelines import params

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
SHARED = ROOT.parent / "shared"
GROUPS = sorted(folder.name for folder in CONF.iterdir() if folder.is_dir() and folder.name != "experiment")
OPTIONS = [(group, path.stem) for group in GROUPS for path in sorted((CONF / group).glob("*.yaml"))]


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def composed(*overrides: str) -> DictConfig:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose("config", overrides=list(overrides))


def test_params_yaml_is_the_composition_of_conf() -> None:
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    assert text == params.composed(), "conf/ and params.yaml differ: run `make params`"


def test_the_default_configuration_validates() -> None:
    config = validate(composed())
    assert isinstance(config, Config)
    assert set(config.beside) == {"anchored", "unanchored", "random"}
    assert config.data == Path("data")


@pytest.mark.parametrize(("group", "option"), OPTIONS)
def test_every_option_composes_and_validates(group: str, option: str) -> None:
    extra = {
        "onet": [f"occupations.root={ROOT}"],
        "server": ["models.judge.name=openai/some/model"],
        "labels": ["digital.labels=labels.csv"],
    }
    place = f"{group}@models.judge" if group == "llm" else group
    validate(composed(f"{place}={option}", *extra.get(option, [])))


def test_no_role_has_a_model_by_default() -> None:
    models = validate(composed()).models
    assert [name for name, model in models if isinstance(model, NoModel)] == list(type(models).model_fields)


def test_a_role_gets_its_model() -> None:
    config = validate(
        composed("llm@models.judge=anthropic", "llm@models.builder=local", "models.judge.max_tokens=9")
    )
    assert isinstance(config.models.judge, Model)
    assert config.models.judge.name.startswith("anthropic/")
    assert config.models.judge.max_tokens == 9
    assert isinstance(config.models.builder, Model) and config.models.builder.serve is not None
    assert isinstance(config.models.teacher, NoModel)


def test_no_option_holds_a_key() -> None:
    for path in sorted((CONF / "llm").glob("*.yaml")):
        model = OmegaConf.load(path)
        assert model.get("key_env") is None or model.key_env.endswith("_API_KEY")
        assert not [key for key in model if key != "key_env" and "key" in str(key)]
    for path in sorted((CONF / "search").glob("*.yaml")):
        search = OmegaConf.load(path)
        assert search.get("key_env") is None or search.key_env.endswith("_API_KEY")


@pytest.mark.parametrize("preset", [path.stem for path in sorted((CONF / "experiment").glob("*.yaml"))])
def test_every_preset_composes_and_validates(preset: str) -> None:
    needed = {"paper": [f"occupations.root={ROOT}"]}
    cfg = composed(f"experiment={preset}", *needed.get(preset, []))
    if preset == "real" and not SHARED.is_dir():
        pytest.skip("needs ../shared/corpus: not in this clone")
    validate(cfg)


def test_the_real_preset_keeps_to_its_own_folder() -> None:
    cfg = composed("experiment=real")
    assert cfg.data == "real"
    assert cfg.occupations.root == "../shared/onet/30.1"
    assert cfg.search.root == "../shared/corpus"


def test_frozen_runs_from_params_and_writes_into_data() -> None:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        cfg = compose("frozen", return_hydra_config=True)
    assert cfg.data == "data"
    assert OmegaConf.to_container(cfg.hydra.run)["dir"] == "data/${hydra.job.name}"
    assert cfg.hydra.output_subdir is None


def test_a_group_can_be_chosen_by_its_role() -> None:
    cfg = composed("judge@beside.random=anchored", "judge=unanchored")
    assert cfg.beside.random._target_.endswith("AnchoredJudge")
    assert cfg.judge._target_.endswith("UnanchoredJudge")


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("models.judge.name=gpt", ["models.judge.name", "'gpt'", "pattern"]),
        ("models.judge.key_env=sk-oops", ["models.judge.key_env", "pattern"]),
        ("+models.judge.api_key=sk-oops", ["models.judge.api_key", "no known key"]),
        ("+models.judge.extra.api_key=x", ["models.judge.extra", "key_env"]),
        ("models.judge.max_tokens=many", ["models.judge.max_tokens", "'many'"]),
    ],
)
def test_a_bad_value_of_a_model_is_one_line(override: str, parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        validate(composed("llm@models.judge=openai", override))
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("seeds.count=none", ["seeds.count", "'none'", "integer"]),
        ("seeds.count=0", ["seeds.count", "given 0", "greater than or equal to 1"]),
        ("engine.patterns=[guessing]", ["engine.patterns.0", "'guessing'", "reconciliation"]),
        ("search.root=nowhere/at/all", ["search.root", "nowhere/at/all", "does not exist"]),
        ("search.root=pyproject.toml", ["search.root", "pyproject.toml", "no folder"]),
        ("occupations=onet", ["occupations.root", "has no value"]),
        ("search.workers=0", ["search.workers", "given 0"]),
        ("beside.random.seed=x", ["beside.random.seed", "'x'", "integer"]),
        ("llm.mode=guess", ["llm.mode", "'guess'", "replay"]),
        ("llm.limits.concurrency=0", ["llm.limits.concurrency", "given 0"]),
        ("+llm.retries=3", ["llm.retries", "no known key"]),
        ("llm@models.judge=server", ["models.judge.name", "has no value"]),
        ("+judge.threshold=0.5", ["judge.threshold", "no known key", "0.5"]),
        ("+colour=red", ["colour", "no known key", "red"]),
        ("judge._target_=graphforge.judging.NoSuchJudge", ["judge", "NoSuchJudge"]),
        ("judge._target_=graphforge.judging.ChecksGrader", ["judge"]),
        ("~seeds", ["seeds", "missing"]),
        ("data=${nowhere}", ["data", "nowhere"]),
    ],
)
def test_a_bad_value_is_one_line_that_names_key_value_and_remedy(override: str, parts: list[str]) -> None:
    with pytest.raises(GraphForgeError) as caught:
        validate(composed(override))
    text = str(caught.value)
    assert "\n" not in text
    assert isinstance(caught.value, ConfigError | InputError)
    for part in parts:
        assert part in text


def test_flatten_gives_every_value_by_its_dotted_key() -> None:
    flat = flatten(composed("seeds.count=7"))
    assert flat["seeds.count"] == "7"
    assert flat["judge._target_"].endswith("AnchoredJudge")
    assert all(isinstance(value, str) for value in flat.values())
