"""rebalance: the same rule again over the files that the workspaces really hold (paper section 3.1)."""

import hydra
from omegaconf import DictConfig

from graphforge.records import Workspace
from graphforge.seeds import Candidate, choose, seed_dimensions
from graphforge.workspace import families
from pipelines._edge import one_line, stage
from pipelines._reach import report


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "workspaces.jsonl") as (config, desk):
        found = desk.read("workspaces/workspaces.jsonl", Workspace)
        candidates = [
            Candidate(id=one.id, values={**seed_dimensions(one.seed), **families(one)}) for one in found
        ]
        wanted = config.rebalance
        kept, left = choose(found, candidates, config.balance, wanted.count, wanted.demand_cap, "rebalance")
        seeds = [one.seed for one in found]
        report(desk, candidates, (one.id for one in kept), seeds, wanted.count, left, "workspaces")
        desk.write("workspaces.jsonl", kept)
        desk.close(len(found), len(kept), left)


if __name__ == "__main__":
    one_line(main)
