"""seeds: occupations to seeds, selected by the balancing strategy (paper section 3.1)."""

import asyncio

import hydra
from omegaconf import DictConfig

from graphforge.config import Config
from graphforge.records import Rejection, Seed
from graphforge.seeds import (
    Candidate,
    OccupationTables,
    choose,
    propose,
    propose_with_model,
    seed_dimensions,
)
from pipelines._edge import Desk, client, one_line, stage
from pipelines._reach import report
from pipelines._sources import sources


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "seeds.jsonl") as (config, desk):
        tables, left_out = sources(config, desk)
        if passages := getattr(config.retrieval, "passages", None):
            desk.source(passages)
        if config.engine.name == "llm":
            proposed, unfit = asyncio.run(_ask(config, desk, tables))
        else:
            proposed, unfit = propose(tables, config.engine.patterns, config.retrieval)
        candidates = [Candidate(id=seed.id, values=seed_dimensions(seed)) for seed in proposed]
        wanted = config.seeds
        seeds, left = choose(proposed, candidates, config.balance, wanted.count, wanted.demand_cap, "seeds")
        report(desk, candidates, (seed.id for seed in seeds), proposed, wanted.count, left, "seeds")
        desk.write("seeds.jsonl", seeds)
        taken = len(left_out) + len(proposed) + len(unfit)
        desk.close(taken, len(seeds), [*left_out, *unfit, *left])


async def _ask(config: Config, desk: Desk, tables: OccupationTables) -> tuple[list[Seed], list[Rejection]]:
    """Demands by a model, of as many pairs as the seeds wanted are worth."""
    async with client(config, desk) as models:
        return await propose_with_model(
            tables,
            config.engine.patterns,
            models.role("builder"),
            balance=config.balance,
            most=config.seeds.count * config.engine.pairs_per_seed,
            at_once=config.llm.limits.concurrency,
            retrieval=config.retrieval,
        )


if __name__ == "__main__":
    one_line(main)
