"""export: admitted trajectories as chat messages, ShareGPT and a Hugging Face dataset folder (section 3.6)."""

import hydra
from omegaconf import DictConfig

from graphforge.export import write_chat, write_dataset, write_sharegpt
from graphforge.records import Admitted, Workspace
from pipelines._edge import one_line, stage


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "chat", "sharegpt", "huggingface") as (_, desk):
        admitted = desk.read("admit/admitted.jsonl", Admitted)
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        write_chat(admitted, desk.folder / "chat")
        write_sharegpt(admitted, desk.folder / "sharegpt")
        write_dataset(admitted, workspaces, desk.folder / "huggingface")
        desk.close(len(admitted), len(admitted), [])


if __name__ == "__main__":
    one_line(main)
