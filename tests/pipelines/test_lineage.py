"""Hydra, DVC and MLflow together, on a copy of the checkout: what reruns, what is recorded, what stays clean."""

import hashlib
import json
import shutil

import pytest
import yaml
from checkout import ROOT, Checkout

from graphforge.records import Seed, Source, Workspace, WorkspaceFile, read_jsonl, write_jsonl

STRATEGIES = "equal_quota,marginal_coverage,random,sector_round_robin"
FEW = ("seeds.count=6", "seeds.demand_cap=1")


@pytest.fixture(scope="module")
def built(checkout: Checkout) -> Checkout:
    """The copy after `dvc repro seeds`."""
    checkout.dvc("repro", "seeds")
    return checkout


def lock(checkout: Checkout) -> dict[str, dict[str, str]]:
    """Stage to path to md5 of its outputs."""
    stages = yaml.safe_load((checkout.folder / "dvc.lock").read_text())["stages"]
    return {name: {out["path"]: out["md5"] for out in stage["outs"]} for name, stage in stages.items()}


def workspace(seed: Seed) -> Workspace:
    """A workspace of four files that nobody opens."""
    source = Source(publisher="test", title="test", licence="CC0-1.0", topic="test")
    files = [
        WorkspaceFile(
            sha256=f"{number:064x}",
            name=f"{number}.csv",
            family="csv",
            bytes=1,
            role="core",
            why="test",
            source=source,
        )
        for number in range(4)
    ]
    return Workspace(id="w1", seed=seed, topic="test", files=tuple(files))


def test_dvc_yaml_lists_files_that_exist_and_groups_that_are_composed() -> None:
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    outs = {out for stage in stages.values() for out in stage["outs"]}
    for name, stage in stages.items():
        assert f"pipelines/{name}.py" in stage["deps"]
        for raw in stage["deps"]:
            dep = raw.replace("${library}", params["library"])
            for key, path in params["watched"].items():
                dep = dep.replace(f"${{watched.{key}}}", path)
            assert dep in outs if dep.startswith("data/") else (ROOT / dep).exists(), f"{name}: {dep}"
            assert not dep.endswith("run.json")
        for key in stage.get("params", ()):
            node = params
            for step in key.split("."):
                assert step in node, f"{name}: {key}"
                node = node[step]
        assert any(out.endswith("/run.json") for out in stage["outs"])


def test_a_second_repro_does_nothing_and_the_run_is_named(built: Checkout) -> None:
    assert "Data and pipelines are up to date" in built.dvc("repro", "seeds")
    run = json.loads((built.folder / "data/seeds/run.json").read_text())["mlflow_run"]
    (recorded,) = [one for one in built.runs() if one["id"] == run]
    assert recorded["status"] == "FINISHED"
    assert recorded["tags"]["DVC_STAGE"] == "seeds"
    assert recorded["tags"]["git.rev"] == built.run("git", "rev-parse", "HEAD").strip()
    counts = json.loads((built.folder / "data/seeds/counts.json").read_text())
    assert recorded["metrics"]["inputs"] == counts["inputs"]
    assert recorded["params"]["balance._target_"] == "graphforge.seeds.MarginalCoverage"


def test_a_sweep_is_one_parent_and_four_nested_runs_and_leaves_dvc_clean(built: Checkout) -> None:
    # Overrides on both sides of -m.
    said = built.stage("seeds", *FEW, "-m", f"balance={STRATEGIES}")
    runs = built.runs()
    (parent,) = [one for one in runs if str(one["name"]).startswith("sweep seeds")]
    children = [one for one in runs if one["parent"] == parent["id"]]
    assert len(children) == 4
    assert {one["status"] for one in [parent, *children]} == {"FINISHED"}
    assert len({one["params"]["balance._target_"] for one in children}) == 4
    (sweep,) = (built.folder / "multirun" / "seeds").iterdir()
    folders = [path for path in sweep.iterdir() if path.is_dir()]
    assert len(folders) == 4
    assert all((folder / "seeds.jsonl").is_file() for folder in folders)
    varied = [(folder / ".hydra" / "overrides.yaml").read_text() for folder in sorted(folders)]
    assert all(f"balance={name}\n" in text for name, text in zip(STRATEGIES.split(","), varied, strict=True))
    rows = [line.split() for line in said.splitlines() if line.startswith("balance=")]
    assert [row[0] for row in rows] == [f"balance={name}" for name in STRATEGIES.split(",")]
    assert all(row[1] == "6" for row in rows)
    assert all(
        {"coverage.cells", "entropy.sector", "gini.pattern"} <= set(one["metrics"]) for one in children
    )
    assert "were asked for" not in said
    artifacts = {path.parent.parent.name: set() for path in built.folder.glob("mlruns/*/artifacts/*")}
    for path in built.folder.glob("mlruns/*/artifacts/*"):
        artifacts[path.parent.parent.name].add(path.name)
    assert artifacts[parent["id"]] == {"comparison.json"}
    figures = {"coverage.json", "coverage_by_value.json", "sector_by_pattern.json", "sector_by_pattern.png"}
    assert all(artifacts[one["id"]] == figures for one in children)
    assert "up to date" in built.dvc("status", "seeds")


def test_the_digest_of_an_input_is_the_hash_in_dvc_lock(built: Checkout) -> None:
    """rebalance reads an output of DVC's; the lock's hash and the run's dataset join."""
    path = built.folder / "data" / "workspaces" / "workspaces.jsonl"
    seed = next(read_jsonl(built.folder / "data/seeds/seeds.jsonl", Seed))
    write_jsonl(path, [workspace(seed)])
    out = built.folder / "outputs" / "rebalance"
    built.stage("rebalance", f"hydra.run.dir={out}")
    run = json.loads((out / "run.json").read_text())["mlflow_run"]
    (recorded,) = [one for one in built.runs() if one["id"] == run]
    digest = hashlib.md5(path.read_bytes()).hexdigest()
    assert recorded["inputs"] == {"data/workspaces/workspaces.jsonl": digest}
    shutil.rmtree(path.parent)


def test_an_experiment_with_another_balance_reruns_the_seeds(built: Checkout) -> None:
    before = lock(built)["seeds"]["data/seeds/seeds.jsonl"]
    out = built.dvc("exp", "run", "-n", "quota", "-S", "balance=equal_quota", "-S", "seeds.count=9", "seeds")
    assert "Running stage 'seeds'" in out
    after = lock(built)["seeds"]["data/seeds/seeds.jsonl"]
    assert after != before
    params = yaml.safe_load((built.folder / "params.yaml").read_text())
    assert params["balance"]["_target_"] == "graphforge.seeds.EqualQuota"
    assert params["seeds"]["count"] == 9
    run = json.loads((built.folder / "data/seeds/run.json").read_text())["mlflow_run"]
    (recorded,) = [one for one in built.runs() if one["id"] == run]
    assert recorded["tags"]["DVC_EXP_NAME"] == "quota"
    assert recorded["tags"]["DVC_EXP_BASELINE_REV"] == built.run("git", "rev-parse", "HEAD").strip()
    assert recorded["params"]["seeds.count"] == "9"
    built.run(built.python, "-m", "pipelines.params")
    assert built.run("git", "status", "--porcelain", "params.yaml") == ""


def test_a_judge_changes_calibrate_and_nothing_else(built: Checkout) -> None:
    """DVC's own view, from what params.yaml would hold; nothing has to run for it."""
    stages = yaml.safe_load((built.folder / "dvc.yaml").read_text())["stages"]
    assert [name for name, stage in stages.items() if "judge" in stage.get("params", ())] == ["calibrate"]
    # What becomes of a stage that passes nothing on is a result of every stage with books.
    assert [name for name, stage in stages.items() if "empty" not in stage.get("params", ())] == ["funnel"]
    reads = {
        name for name, stage in stages.items() for dep in stage["deps"] if dep.startswith("data/calibrate/")
    }
    assert reads == set()


def test_a_stage_that_fails_under_dvc_leaves_nothing(built: Checkout) -> None:
    said = built.dvc("exp", "run", "-S", "search.root=examples/nowhere", "workspaces", ok=False)
    assert not said.startswith("0")
    assert "search.root: examples/nowhere does not exist" in said
    assert "Traceback" not in said
    assert not (built.folder / "data/workspaces/workspaces.jsonl").exists()
    built.run(built.python, "-m", "pipelines.params")
    built.run("git", "checkout", "-q", "--", "params.yaml")


def test_a_changed_table_or_passage_outside_the_line_reruns_the_seeds(built: Checkout) -> None:
    outside = built.folder.parent / "outside"
    (outside / "texts").mkdir(parents=True)
    shutil.copyfile(ROOT / "examples/occupations/table.csv", outside / "own.csv")
    (outside / "texts" / "a.txt").write_text("Bank statements are compared with the ledger every month.\n")
    said = ["occupations=table", f"occupations.file={outside / 'own.csv'}", "retrieval=bm25",
            f"+retrieval.passages={outside / 'texts'}"]  # fmt: skip
    built.dvc("exp", "run", *(word for one in said for word in ("-S", one)), "seeds")
    assert "up to date" in built.dvc("status", "seeds")
    for path in (outside / "own.csv", outside / "texts" / "a.txt"):
        before = path.read_text()
        path.write_text(before + before.splitlines()[-1] + "\n")
        assert "changed deps" in built.dvc("status", "seeds")
        path.write_text(before)
        assert "up to date" in built.dvc("status", "seeds")
    built.run(built.python, "-m", "pipelines.params")
    built.run("git", "checkout", "-q", "--", "params.yaml")
