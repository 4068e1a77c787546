"""Judging: executable checks, the grader, the judge variants, calibration (paper section 3.5, Table 3)."""

from .agent_grader import AgentGrader
from .anchored import AnchoredJudge
from .calibration import (
    Calibration,
    Case,
    JudgedPool,
    JudgeRow,
    KindCount,
    PoolLine,
    calibrate,
    calibrate_jointly,
    wilson,
)
from .checks import Deliverables, Finding, execute
from .grader import ChecksGrader, Grader
from .hybrid_grader import HybridGrader
from .joint import JointGrader
from .judge import Judge
from .llm_grader import LlmGrader
from .member import PoolMember
from .mutants import Mutant, MutantKind, MutantPool, NotMade, mutate
from .passage import passage
from .pool import Pick
from .random_judge import RandomJudge
from .shown import lines
from .sight import Sight
from .unanchored import UnanchoredJudge

__all__ = [
    "AgentGrader",
    "AnchoredJudge",
    "Calibration",
    "Case",
    "ChecksGrader",
    "Deliverables",
    "Finding",
    "Grader",
    "HybridGrader",
    "JointGrader",
    "Judge",
    "JudgeRow",
    "JudgedPool",
    "KindCount",
    "LlmGrader",
    "Mutant",
    "MutantKind",
    "MutantPool",
    "NotMade",
    "Pick",
    "PoolLine",
    "PoolMember",
    "RandomJudge",
    "Sight",
    "UnanchoredJudge",
    "calibrate",
    "calibrate_jointly",
    "execute",
    "lines",
    "mutate",
    "passage",
    "wilson",
]
