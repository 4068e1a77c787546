"""funnel: the books of every stage and the coverage of what was admitted, in one file (pipelines.show prints it)."""

import hydra
from omegaconf import DictConfig

from graphforge.records import Admitted, Seed, StageCount
from graphforge.report import gather
from pipelines._edge import one_line, stage
from pipelines._stages import LINE


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "funnel.json", books=False) as (_, desk):
        names = ("workspaces/library_counts.json", *(f"{name}/counts.json" for name in LINE))
        counts = [desk.read_json(name, StageCount) for name in names]
        sectors = {seed.sector: seed.sector_name for seed in desk.read("seeds/seeds.jsonl", Seed)}
        funnel = gather(counts, desk.read("admit/admitted.jsonl", Admitted), sectors)
        desk.write_json("funnel.json", funnel)
        coverage = funnel.coverage
        desk.metrics(
            {
                "admitted": coverage.admitted,
                "sectors": len(coverage.sectors),
                "patterns": len(coverage.patterns),
                "topics": len(coverage.topics),
            }
        )


if __name__ == "__main__":
    one_line(main)
