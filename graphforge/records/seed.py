"""A seed: who does the work, what demand is addressed and how, and nothing about a case."""

from typing import Literal, get_args

from pydantic import Field

from .base import Identifier, Record

ExecutionPattern = Literal[
    "quantitative_modeling",
    "reconciliation",
    "data_analysis_and_reporting",
    "research_and_source_synthesis",
    "data_cleaning_and_integration",
    "forecasting_and_planning",
    "budgeting_and_allocation",
    "comparative_evaluation",
    "monitoring_and_exception_reporting",
    "compliance_review",
    "classification_and_coding",
    "scheduling_and_coordination",
    "technical_documentation",
    "stakeholder_communication",
    "policy_design",
    "artifact_revision",
]
EXECUTION_PATTERNS: tuple[ExecutionPattern, ...] = get_args(ExecutionPattern)

InputFamily = Literal["spreadsheet", "delimited", "document", "presentation", "page", "data"]


class Passage(Record):
    """A cited piece of occupational evidence: where it stands in the source and what it says."""

    source: str
    text: str = Field(min_length=1)


class Seed(Record):
    """The paper's tuple (section 3.1): occupation, DWA, work demand, execution pattern, input family, evidence.

    ``sector`` is the SOC major group, or what the source of the occupations calls it; ``sector_name`` may be empty.
    """

    id: Identifier
    occupation_code: str
    occupation: str = Field(min_length=1)
    sector: str = Field(min_length=1)
    sector_name: str
    subsector: str
    task_id: str
    dwa_id: str
    dwa: str
    demand: str = Field(min_length=1)
    demand_key: str
    pattern: ExecutionPattern
    input_family: InputFamily
    output_family: InputFamily
    evidence: tuple[Passage, ...] = Field(min_length=1)
