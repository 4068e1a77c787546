"""One compiler a pattern: from a view of the evidence to a composition, or None where the evidence won't carry it."""

from collections.abc import Callable

from ...records import ExecutionPattern
from ..compose import Composition, View
from .artifact_revision import artifact_revision
from .budgeting_and_allocation import budgeting_and_allocation
from .classification_and_coding import classification_and_coding
from .comparative_evaluation import comparative_evaluation
from .data_analysis_and_reporting import data_analysis_and_reporting
from .data_cleaning_and_integration import data_cleaning_and_integration
from .forecasting_and_planning import forecasting_and_planning
from .monitoring_and_exception_reporting import monitoring_and_exception_reporting
from .quantitative_modeling import quantitative_modeling
from .reconciliation import reconciliation
from .research_and_source_synthesis import research_and_source_synthesis
from .stakeholder_communication import stakeholder_communication

COMPILERS: dict[ExecutionPattern, Callable[[View], Composition | None]] = {
    "artifact_revision": artifact_revision,
    "budgeting_and_allocation": budgeting_and_allocation,
    "classification_and_coding": classification_and_coding,
    "comparative_evaluation": comparative_evaluation,
    "data_analysis_and_reporting": data_analysis_and_reporting,
    "data_cleaning_and_integration": data_cleaning_and_integration,
    "forecasting_and_planning": forecasting_and_planning,
    "monitoring_and_exception_reporting": monitoring_and_exception_reporting,
    "quantitative_modeling": quantitative_modeling,
    "reconciliation": reconciliation,
    "research_and_source_synthesis": research_and_source_synthesis,
    "stakeholder_communication": stakeholder_communication,
}
