"""Keep a trajectory, or say why not (paper section 3.5). Scores are made elsewhere; here they are only compared.

    outcome = admit(spec, trajectory, deliverables, verdict, admission, behaviour)   # Admitted or Rejection

``admission`` and ``behaviour`` are the config models of ``conf/admission/`` and ``conf/behaviour/``. Each filter
is one small class with one method ``reason`` that returns None or a :class:`Reason`; whoever calls counts them.
"""

from .admit import Admission, admit
from .behaviour import BehaviourFilter, ExcessOfCalls, RepeatedCalls, RepeatedTruncation, ToolFailures
from .deliverables import PromisedFiles, ReadableFormats, RequiredFormulas, RequiredSheets
from .reason import Reason
from .score import ScoreBar

__all__ = [
    "Admission",
    "BehaviourFilter",
    "ExcessOfCalls",
    "PromisedFiles",
    "ReadableFormats",
    "Reason",
    "RepeatedCalls",
    "RepeatedTruncation",
    "RequiredFormulas",
    "RequiredSheets",
    "ScoreBar",
    "ToolFailures",
    "admit",
]
