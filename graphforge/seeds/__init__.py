"""Seeds: occupation sources, labelled work demands and balancing strategies (paper section 3.1)."""

from .candidate import Candidate, seed_dimensions
from .choose import Balance, choose, shortage
from .demo_occupations import DemoOccupations
from .digital import Digital
from .digital_labels import DigitalLabels
from .equal_quota import EqualQuota
from .every_task import EveryTask
from .exposure_proxy import ExposureProxy
from .frequency import Frequency
from .llm import propose as propose_with_model
from .marginal_coverage import MarginalCoverage
from .occupation_table import OccupationTable
from .onet_occupations import OnetOccupations
from .onet_release import OnetRelease
from .random_balance import RandomBalance
from .rules import propose
from .sector_round_robin import SectorRoundRobin
from .survey import Survey
from .tables import SECTORS, Activity, Occupation, OccupationTables, Task, Technology

__all__ = [
    "SECTORS",
    "Activity",
    "Balance",
    "Candidate",
    "DemoOccupations",
    "Digital",
    "DigitalLabels",
    "EqualQuota",
    "EveryTask",
    "ExposureProxy",
    "Frequency",
    "MarginalCoverage",
    "Occupation",
    "OccupationTable",
    "OccupationTables",
    "OnetOccupations",
    "OnetRelease",
    "RandomBalance",
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
