"""Judging: executable checks, the grader, the judge variants, calibration (paper section 3.5, Table 3)."""

from .agent_grader import AgentGrader
from .agreement import Agreement, krippendorff, spearman
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
from .construct import blind, constructed
from .golden import without_plan
from .grader import ChecksGrader, Grader
from .harmless import HarmlessKind, changed
from .hybrid_grader import HybridGrader
from .joint import JointGrader
from .judge import Judge
from .leaks import computed, hidden, leaks
from .leaks import shown as shows
from .llm_grader import LlmGrader
from .member import PoolMember
from .mutants import Mutant, MutantKind, MutantPool, NotMade, mutate
from .passage import passage
from .pool import Pick
from .random_judge import RandomJudge
from .shown import lines
from .sight import Sight
from .spoil import Spoiled, spoil
from .traced import NumberTrace, traced
from .unanchored import UnanchoredJudge
from .verification import Verification, gather
from .verifier import Golden, TaskTests, Verified, VerifierTests, verify

__all__ = [
    "AgentGrader",
    "Agreement",
    "AnchoredJudge",
    "Calibration",
    "Case",
    "ChecksGrader",
    "Deliverables",
    "Finding",
    "Golden",
    "Grader",
    "HarmlessKind",
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
    "NumberTrace",
    "Pick",
    "PoolLine",
    "PoolMember",
    "RandomJudge",
    "Sight",
    "Spoiled",
    "TaskTests",
    "UnanchoredJudge",
    "Verification",
    "Verified",
    "VerifierTests",
    "blind",
    "calibrate",
    "calibrate_jointly",
    "changed",
    "computed",
    "constructed",
    "execute",
    "gather",
    "hidden",
    "krippendorff",
    "leaks",
    "lines",
    "mutate",
    "passage",
    "shows",
    "spearman",
    "spoil",
    "traced",
    "verify",
    "wilson",
    "without_plan",
]
