"""Seeds: occupation sources, labelled work demands and balancing strategies (paper section 3.1)."""

from .all_passages import AllPassages
from .bm25_retrieval import Bm25Retrieval
from .candidate import Candidate, seed_dimensions
from .choose import Balance, choose
from .demo_occupations import DemoOccupations
from .embedding_retrieval import EmbeddingRetrieval
from .equal_quota import EqualQuota
from .llm import propose as propose_with_model
from .marginal_coverage import MarginalCoverage
from .onet_occupations import OnetOccupations
from .pair import Pair
from .random_balance import RandomBalance
from .retrieval import Found, Retrieval
from .rules import propose
from .sector_round_robin import SectorRoundRobin
from .tables import SECTORS, Activity, Occupation, OccupationTables, Task, Technology

__all__ = [
    "SECTORS",
    "Activity",
    "AllPassages",
    "Balance",
    "Bm25Retrieval",
    "Candidate",
    "DemoOccupations",
    "EmbeddingRetrieval",
    "EqualQuota",
    "Found",
    "MarginalCoverage",
    "Occupation",
    "OccupationTables",
    "OnetOccupations",
    "Pair",
    "RandomBalance",
    "Retrieval",
    "SectorRoundRobin",
    "Task",
    "Technology",
    "choose",
    "propose",
    "propose_with_model",
    "seed_dimensions",
]
