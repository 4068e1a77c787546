"""seeds: occupations to seeds, selected by the balancing strategy (paper section 3.1)."""

import asyncio

import hydra
from omegaconf import DictConfig

from graphforge.config import Config
from graphforge.records import Rejection, Seed
from graphforge.seeds import Candidate, choose, propose, propose_with_model, seed_dimensions
from pipelines._edge import Desk, client, one_line, stage
from pipelines._reach import report


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "seeds.jsonl") as (config, desk):
        if root := getattr(config.occupations, "root", None):
            desk.source(root)
        if passages := getattr(config.retrieval, "passages", None):
            desk.source(passages)
        if config.engine.name == "llm":
            proposed, unfit = asyncio.run(_ask(config, desk))
        else:
            proposed, unfit = propose(config.occupations.load(), config.engine.patterns, config.retrieval)
        candidates = [Candidate(id=seed.id, values=seed_dimensions(seed)) for seed in proposed]
        wanted = config.seeds
        seeds, left = choose(proposed, candidates, config.balance, wanted.count, wanted.demand_cap, "seeds")
        report(desk, candidates, (seed.id for seed in seeds), proposed, wanted.count, "seeds")
        desk.write("seeds.jsonl", seeds)
        desk.close(len(proposed) + len(unfit), len(seeds), [*unfit, *left])


async def _ask(config: Config, desk: Desk) -> tuple[list[Seed], list[Rejection]]:
    """Demands by a model, of as many pairs as the seeds wanted are worth."""
    async with client(config, desk) as models:
        return await propose_with_model(
            config.occupations.load(),
            config.engine.patterns,
            models.role("builder"),
            balance=config.balance,
            most=config.seeds.count * config.engine.pairs_per_seed,
            at_once=config.llm.limits.concurrency,
            retrieval=config.retrieval,
        )


if __name__ == "__main__":
    one_line(main)
