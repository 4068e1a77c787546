"""Write params.yaml from conf/, in the form in which ``dvc exp run -S`` writes it: make params."""

import sys
from collections.abc import Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

import graphforge  # noqa: F401  (switches usage reporting off before anything else is imported)

ROOT = Path(__file__).resolve().parents[1]


def composed(overrides: Sequence[str] = ()) -> str:
    """The text of params.yaml."""
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        cfg = compose("config", overrides=list(overrides))
    OmegaConf.resolve(cfg)
    return OmegaConf.to_yaml(cfg)


if __name__ == "__main__":
    (ROOT / "params.yaml").write_text(composed(sys.argv[1:]), encoding="utf-8")
