"""Judging: executable checks, the grader, the judge variants, calibration (paper section 3.5, Table 3)."""

from .anchored import AnchoredJudge
from .calibration import Calibration, Case, JudgedPool, JudgeRow, KindCount, PoolLine, calibrate, wilson
from .checks import Deliverables, Finding, execute
from .grader import ChecksGrader, Grader
from .judge import Judge
from .mutants import Mutant, MutantKind, MutantPool, NotMade, mutate
from .pool import Pick, PoolMember
from .random_judge import RandomJudge
from .unanchored import UnanchoredJudge

__all__ = [
    "AnchoredJudge",
    "Calibration",
    "Case",
    "ChecksGrader",
    "Deliverables",
    "Finding",
    "Grader",
    "Judge",
    "JudgeRow",
    "JudgedPool",
    "KindCount",
    "Mutant",
    "MutantKind",
    "MutantPool",
    "NotMade",
    "Pick",
    "PoolLine",
    "PoolMember",
    "RandomJudge",
    "UnanchoredJudge",
    "calibrate",
    "execute",
    "mutate",
    "wilson",
]
