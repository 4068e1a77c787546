"""Texts as vectors by a small sentence model: a leaf that rooms rank by and that knows nothing of what they rank."""

from .sentence_encoder import SentenceEncoder
from .sentence_model import SentenceModel

__all__ = ["SentenceEncoder", "SentenceModel"]
