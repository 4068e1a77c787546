"""export: admitted trajectories as chat messages, ShareGPT and a Hugging Face dataset folder (section 3.6)."""

import hydra
from omegaconf import DictConfig

from graphforge.export import misfit, write_chat, write_dataset, write_sharegpt
from graphforge.records import Admitted, Rejection, Workspace
from pipelines._edge import one_line, sort, stage


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "chat", "sharegpt", "huggingface") as (_, desk):
        results = [fitting(one) for one in desk.read("admit/admitted.jsonl", Admitted)]
        admitted, rejections = sort(results)
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        write_chat(admitted, desk.folder / "chat")
        write_sharegpt(admitted, desk.folder / "sharegpt")
        write_dataset(admitted, workspaces, desk.folder / "huggingface")
        desk.close(len(results), len(admitted), rejections)


def fitting(record: Admitted) -> Admitted | Rejection:
    """The record, or a rejection where a model called a tool as it can't be called: nobody should learn that."""
    if call := misfit(record.trajectory):
        detail = f"the agent called {call}"
        return Rejection(id=record.spec.id, stage="export", reason="call_without_schema", detail=detail)
    return record


if __name__ == "__main__":
    one_line(main)
