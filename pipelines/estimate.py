"""estimate: what a run would ask of models, and of a search engine, and cost, without asking anything.

``python -m pipelines.estimate experiment=live seeds.count=5``; no key is needed, and nothing is left behind.
"""

from contextlib import ExitStack

import hydra
from omegaconf import DictConfig

from graphforge.config import validate
from graphforge.llm import Ledger, forecast
from graphforge.tracking import store_root
from graphforge.workspace import WebSearch
from pipelines._edge import one_line
from pipelines._estimate import expected, shown
from pipelines._stages import STAGES


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    config = validate(cfg)
    settings = config.llm
    path = store_root() / settings.ledger if settings.ledger is not None else None
    with ExitStack() as stack:
        held = path is not None and path.is_file()
        ledger = stack.enter_context(Ledger.open(path, "replay")) if held else None
        rows = forecast(expected(config, STAGES[0]), dict(config.models), ledger, settings.run)
    print(shown(rows, settings.budget))
    if isinstance(config.search, WebSearch):
        print(config.search.outlook(config.seeds.count, config.fetch).line())
        print(f"web: allowed are {config.search.most_queries:,} queries and {config.fetch.files:,} addresses")


if __name__ == "__main__":
    one_line(main)
