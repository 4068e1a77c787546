"""A clone of this checkout as it stands, uncommitted work included, as a git and DVC repository of its own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_IDENTITY = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "test"), ("EMAIL", "test@localhost"))
}


class Checkout:
    """Runs git, dvc and stages inside a copy, with a store of its own and nothing inherited from an outer run."""

    python = sys.executable

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("DVC_", "MLFLOW_", "GRAPHFORGE_"))
            },
            **_IDENTITY,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            # The copy is run in place of an editable install that may lead elsewhere.
            "PYTHONPATH": str(folder),
        }

    @classmethod
    def make(cls, folder: Path) -> "Checkout":
        listed = subprocess.run(
            ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.decode().split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        (folder / "dvc.lock").unlink(missing_ok=True)
        checkout = cls(folder)
        checkout.run("git", "init", "-q", "-b", "main")
        checkout.run("git", "add", "--all")
        checkout.run("git", "commit", "-q", "-m", "as it stands")
        return checkout

    def run(self, *command: str, extra: Mapping[str, str] | None = None, ok: bool = True) -> str:
        """Standard output; where the command fails the test fails with everything it said."""
        done = subprocess.run(
            command, cwd=self.folder, env={**self.environment, **(extra or {})}, capture_output=True, text=True,
            check=False, timeout=1500,
        )  # fmt: skip
        assert not ok or done.returncode == 0, (
            f"{command} gave {done.returncode}\n{done.stdout}\n{done.stderr}"
        )
        return done.stdout if ok else f"{done.returncode}\n{done.stdout}{done.stderr}"

    def dvc(self, *arguments: str, **options: object) -> str:
        return self.run(sys.executable, "-m", "dvc", *arguments, **options)  # type: ignore[arg-type]

    def stage(self, name: str, *overrides: str, **options: object) -> str:
        return self.run(sys.executable, "-m", f"pipelines.{name}", *overrides, **options)  # type: ignore[arg-type]

    def runs(self) -> list[dict[str, object]]:
        """Every MLflow run of the copy's store: id, name, status, stage, parent, digests of its inputs."""
        code = (
            "import json\n"
            "from graphforge.tracking import connect\n"
            "found = connect().search_runs(experiment_names=['graphforge'], output_format='list')\n"
            "print('RUNS ' + json.dumps([{'id': r.info.run_id, 'name': r.info.run_name, 'status': r.info.status,\n"
            "  'parent': r.data.tags.get('mlflow.parentRunId'), 'tags': dict(r.data.tags),\n"
            "  'params': dict(r.data.params), 'metrics': dict(r.data.metrics),\n"
            "  'inputs': {d.dataset.name: d.dataset.digest for d in r.inputs.dataset_inputs}} for r in found]))"
        )
        out = self.run(sys.executable, "-c", code)
        return json.loads(out.split("RUNS ", 1)[1])
