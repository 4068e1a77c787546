"""What the tests of the verifiers found, for a reader of a terminal."""

from collections.abc import Mapping
from typing import Any

from .tables import text_table

_WHERE = {
    "instruction": "in the instruction",
    "attachments": "only in attachments",
    "computed": "in neither: computed",
}


def show_verification(found: Mapping[str, Any]) -> str:
    """The rates of ``verification.json``: of mutants and harmless changes by kind, and of where numbers come from."""
    lines: list[list[str | int | float]] = [
        [
            "mutants that cost points on their criterion",
            found["mutants"],
            found["caught"],
            _percent(found["caught_share"]),
        ],
        [
            "harmless changes that cost any",
            found["harmless"],
            found["costing"],
            _percent(found["costing_share"]),
        ],
    ]
    numbers = found["numbers"]
    whole = sum(numbers.values())
    lines += [
        [f"numbers of the criteria {_WHERE[where]}", whole, count, _percent(count / whole if whole else None)]
        for where, count in numbers.items()
    ]
    parts = ["Verifier tests", text_table(["", "of", "number", "share"], lines)]
    failing = [
        [kind, what, tally["tests"], tally["failed"]]
        for what, tallies in (
            ("mutants not caught", found["by_check"]),
            ("costing changes", found["by_change"]),
        )
        for kind, tally in tallies.items()
        if tally["failed"]
    ]
    if failing:
        parts.append(text_table(["kind", "fails as", "tests", "failed"], failing))
    golden = ", ".join(f"{source} {count}" for source, count in found["golden"].items()) or "none"
    repairs = (
        ", ".join(f"{how.replace('_', ' ')} {count}" for how, count in found["repairs"].items()) or "none"
    )
    parts.append(
        f"Golden deliverables: {golden}. Repairs of criteria: {repairs}. Criteria without checks, untested: "
        f"{found['untested']}.\nMet without opening a file: {_percent(found['blind_share'])} of the criteria on "
        f"average, {_percent(found['blind_most'])} at most."
    )
    return "\n\n".join(parts)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
