"""What an agent is told, and what makes a pilot void."""

from graphforge.records import Deliverable, PublicTask, statement_hash


def task(statement: str, requirement: str) -> PublicTask:
    one = Deliverable(id="D1", file="book.xlsx", family="xlsx", requirement=requirement, sheets=("Merged",))
    return PublicTask(task="t", statement=statement, deliverables=(one,), files=("a.csv",))


def test_requirements_are_told_where_the_statement_does_not_say_them() -> None:
    told = task("Merge them into book.xlsx.", "A sheet Merged with\n a column Year.").request
    assert (
        told == "Merge them into book.xlsx.\n\nTo hand over:\n- book.xlsx: A sheet Merged with a column Year."
    )


def test_a_statement_that_says_them_is_left_as_it_is() -> None:
    statement = "Merge them.\n\n- book.xlsx: A sheet  Merged with a column Year."
    assert task(statement, "A sheet Merged with a column Year.").request == statement


def test_another_requirement_is_another_request() -> None:
    before, after = (task("Merge them.", words).request for words in ("One sheet.", "Two sheets."))
    assert statement_hash(before) != statement_hash(after)
