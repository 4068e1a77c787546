"""Every record that crosses a stage, one noun a file, and the JSONL that carries them."""

from .additive import (
    adds_up,
    counts_something,
    goes_with,
    is_base,
    is_money,
    lists_some,
    mixed_units,
    overlaps,
    titled_as_rates,
    uncertain,
)
from .admission import Admitted
from .base import FileName, Identifier, Record, Sha256, Value, stable_hash
from .check import (
    Check,
    ColumnValues,
    ForeignValues,
    FormulaColumn,
    Heading,
    InventedRows,
    ReadableFile,
    RowSet,
    SheetPresent,
    TextMention,
    TextNumber,
    TotalCell,
    TypedTotal,
    Violation,
)
from .dated import reads_a_day_as_a_year
from .document import Block, Column, Document, Family, Table, Where, normalize
from .doubled import doubled
from .editions import day_in
from .graph import EvidenceEdge, EvidenceGraph, EvidenceNode, Operation, Relation, RelationKind, Series
from .identifying import numbers_its_rows
from .instant import EPOCH_SECONDS
from .jsonl import explain, read_jsonl, storage_error, write_bytes, write_jsonl
from .kinds import STATES, kind_of
from .levels import is_level, level_columns, mixes_levels
from .locator import (
    BlockLocator,
    CellLocator,
    CommentLocator,
    Locator,
    PageLocator,
    PartLocator,
    PointerLocator,
    SlideLocator,
    TableCellLocator,
    column_index,
    column_letters,
)
from .namesakes import namesakes
from .numbers import close, parse_number, parse_scaled, show_number
from .plan import (
    OF_ALL_ROWS,
    ONE_ARGUMENT,
    WORDS,
    Assumptions,
    Citation,
    DerivedColumn,
    Fact,
    FactOperation,
    Keep,
    Output,
    Plan,
    QuotedColumn,
    QuotedFigure,
    ReadColumn,
    Section,
    Summary,
)
from .receiving import receives
from .rejection import Rejection, StageCount
from .seed import EXECUTION_PATTERNS, ExecutionPattern, InputFamily, Passage, Seed
from .statement import statement_hash
from .subtotal import hides_a_sum
from .task import (
    Anchor,
    Criterion,
    Deliverable,
    NegativeCriterion,
    Patch,
    PublicTask,
    Revision,
    TaskSpec,
    scaled,
)
from .totals import NATION, is_total_among, names_total
from .trajectory import Artifact, Message, Status, ToolCall, Trajectory
from .verdict import CriterionVerdict, Outcome, PenaltyVerdict, Verdict, score
from .wording import nameable, plain_by, plain_header, plain_title, rows_named
from .workspace import Role, Source, Workspace, WorkspaceFile
