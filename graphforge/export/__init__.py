"""Admitted trajectories as training data: chat messages, ShareGPT, a Hugging Face dataset folder (paper section 3.6).

Every writer takes the records and a folder, writes whole files or none, and gives the same bytes for the same
records.
"""

from .card import dataset_card
from .chat import chat_line, read_messages, write_chat
from .dataset import write_dataset
from .sharegpt import sharegpt_line, write_sharegpt
from .tools import TOOLS, misfit

__all__ = [
    "TOOLS",
    "chat_line",
    "dataset_card",
    "misfit",
    "read_messages",
    "sharegpt_line",
    "write_chat",
    "write_dataset",
    "write_sharegpt",
]
