"""Seeds: occupation sources, labelled work demands and balancing strategies (paper section 3.1)."""

from .candidate import Candidate, seed_dimensions
from .choose import Balance, choose, shortage
from .demo_occupations import DemoOccupations
from .equal_quota import EqualQuota
from .frequency import Frequency
from .llm import propose as propose_with_model
from .marginal_coverage import MarginalCoverage
from .onet_occupations import OnetOccupations
from .random_balance import RandomBalance
from .rules import propose
from .sector_round_robin import SectorRoundRobin
from .tables import SECTORS, Activity, Occupation, OccupationTables, Task, Technology

__all__ = [
    "SECTORS",
    "Activity",
    "Balance",
    "Candidate",
    "DemoOccupations",
    "EqualQuota",
    "Frequency",
    "MarginalCoverage",
    "Occupation",
    "OccupationTables",
    "OnetOccupations",
    "RandomBalance",
    "SectorRoundRobin",
    "Task",
    "Technology",
    "choose",
    "propose",
    "propose_with_model",
    "seed_dimensions",
    "shortage",
]
