"""The stages of the line that keep books, in their order."""

LINE = (
    "seeds",
    "workspaces",
    "rebalance",
    "graphs",
    "tasks",
    "pilot",
    "revise",
    "verify",
    "rollouts",
    "admit",
    "export",
)
STAGES = (*LINE, "calibrate")
