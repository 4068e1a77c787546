"""seeds: occupations to seeds, selected by the balancing strategy (paper section 3.1)."""

import hydra
from omegaconf import DictConfig

from graphforge.seeds import Candidate, choose, propose, seed_dimensions
from pipelines._edge import one_line, stage


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "seeds.jsonl") as (config, desk):
        if root := getattr(config.occupations, "root", None):
            desk.source(root)
        proposed, unfit = propose(config.occupations.load(), config.engine.patterns)
        candidates = [Candidate(id=seed.id, values=seed_dimensions(seed)) for seed in proposed]
        wanted = config.seeds
        seeds, left = choose(proposed, candidates, config.balance, wanted.count, wanted.demand_cap, "seeds")
        desk.write("seeds.jsonl", seeds)
        desk.close(len(proposed) + len(unfit), len(seeds), [*unfit, *left])


if __name__ == "__main__":
    one_line(main)
