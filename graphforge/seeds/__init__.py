"""Seeds: occupation sources, labelled work demands and balancing strategies (paper section 3.1)."""

from .all_passages import AllPassages
from .bm25_retrieval import Bm25Retrieval
from .candidate import Candidate, seed_dimensions
from .choose import Balance, choose, shortage
from .demo_occupations import DemoOccupations
from .digital import Digital
from .digital_labels import DigitalLabels
from .embedding_retrieval import EmbeddingRetrieval
from .equal_quota import EqualQuota
from .every_task import EveryTask
from .exposure_proxy import ExposureProxy
from .frequency import Frequency
from .llm import propose as propose_with_model
from .marginal_coverage import MarginalCoverage
from .occupation_table import OccupationTable
from .onet_occupations import OnetOccupations
from .onet_release import OnetRelease
from .pair import Pair
from .random_balance import RandomBalance
from .retrieval import Found, Retrieval
from .rules import propose
from .sector_round_robin import SectorRoundRobin
from .survey import Survey
from .tables import SECTORS, Activity, Occupation, OccupationTables, Task, Technology

__all__ = [
    "SECTORS",
    "Activity",
    "AllPassages",
    "Balance",
    "Bm25Retrieval",
    "Candidate",
    "DemoOccupations",
    "Digital",
    "DigitalLabels",
    "EmbeddingRetrieval",
    "EqualQuota",
    "EveryTask",
    "ExposureProxy",
    "Found",
    "Frequency",
    "MarginalCoverage",
    "Occupation",
    "OccupationTable",
    "OccupationTables",
    "OnetOccupations",
    "OnetRelease",
    "Pair",
    "RandomBalance",
    "Retrieval",
    "SectorRoundRobin",
    "Survey",
    "Task",
    "Technology",
    "choose",
    "propose",
    "propose_with_model",
    "seed_dimensions",
    "shortage",
]
