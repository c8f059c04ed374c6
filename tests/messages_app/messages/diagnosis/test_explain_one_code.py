"""
Each row has one code: the first code in docs/reference/explain.md whose "when" is true.

The rows are a grid of the facts that decide about PARTLY_FAILED and POSTPONED messages, the states with the
most codes. The expected code is computed here from the facts, in the order of the page.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from django.conf import settings as project
from django.db import transaction

from messages_app.messages.models import Message
from tests.messages_app.messages.diagnosis.explanations import explanation_of, record_change
from tests.messages_app.messages.diagnosis.test_advice import assert_is_possible
from tests.messages_app.messages.funnels.rows import ago, stored
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

# A second message with the same value and component: its state, its age, and whether its order is guaranteed.
OTHERS = (
    None,
    ("PROCESSING", 50, False),
    ("PROCESSING", 700, False),
    ("POSTPONED", 650, False),
    ("FAILED", 500, False),
    ("FAILED", 500, True),
    ("WAITING", 500, True),
)


@dataclass(frozen=True)
class Row:
    """
    The facts about a message and its surroundings.

    Args:
        age: seconds since its receipt, start and last change; None if it was received a minute ago and never
            changed.
        values: how many funnel values it has.
        is_restarted: an operator changed its state last.
        is_starved: a POSTPONED message is due, and was checked a moment ago.
    """

    rules: str
    state: str
    age: int | None
    values: int
    is_ordered: bool
    other: tuple[str, int, bool] | None = None
    is_restarted: bool = False
    is_starved: bool = False

    @property
    def rest(self) -> int:
        return 60 if self.state == "PARTLY_FAILED" else 5

    @property
    def due(self) -> int:
        return self.age - self.rest

    def is_behind_in_order(self) -> bool:
        return self.is_ordered and self.other is not None and self.other[2]

    def has_other(self, *states: str, within: int = 600) -> bool:
        return self.other is not None and self.other[0] in states and self.other[1] <= within


# In the order of the page. A condition does not repeat the conditions of the codes above it.
WHEN = {
    "never_picked_up": lambda row: row.age is None,
    "order_without_value": lambda row: row.is_ordered and not row.values,
    "order_time_over": lambda row: row.is_behind_in_order() and max(row.age, row.rest) > 300,
    "held_by_failed_order": lambda row: row.is_behind_in_order() and row.other[0] == "FAILED",
    "held_by_order": lambda row: row.is_behind_in_order(),
    "starved_by_postponed": lambda row: (
        row.state == "PARTLY_FAILED" and row.rules == "cleverbus" and row.due > 60 and row.is_starved
    ),
    "postponed_without_cause": lambda row: row.state == "POSTPONED" and not row.values,
    "postpones_itself": lambda row: row.state == "POSTPONED" and row.rules == "cleverbus" and row.values > 1,
    "held_by_funnel": lambda row: row.state == "POSTPONED" and row.has_other("PROCESSING", "WAITING"),
    "behind_in_line": lambda row: row.state == "POSTPONED" and row.has_other("POSTPONED", within=650),
    "perhaps_held_by_funnel_order": lambda row: row.state == "POSTPONED" and row.has_other("FAILED"),
    "retry_overdue": lambda row: row.due > 120,
    "restarted": lambda row: row.state == "PARTLY_FAILED" and row.is_restarted,
    "waits_for_retry": lambda row: row.state == "PARTLY_FAILED",
    "free_to_go": lambda row: row.state == "POSTPONED",
}


def rows(rules: str) -> Iterator[Row]:
    for age, values, is_ordered in product((None, 30, 150, 400), (0, 1, 2), (False, True)):
        plain = {"age": age, "values": values, "is_ordered": is_ordered}
        yield Row(rules, "PARTLY_FAILED", **plain, is_restarted=True)
        yield Row(rules, "PARTLY_FAILED", **plain, is_starved=True)
        for state, other in product(("POSTPONED", "PARTLY_FAILED"), OTHERS[: (1, len(OTHERS), 2)[values]]):
            yield Row(rules, state, **plain, other=other)


def make(row: Row) -> Message:
    if row.other is not None:
        state, age, is_ordered = row.other
        stored(
            state, age=age, values=("777",), guaranteed_order=is_ordered, funnel_component_id="f", **_failed
        )
    if row.is_starved:
        stored("POSTPONED", age=10)
    values = ("777", "778")[: row.values]
    columns = {"guaranteed_order": row.is_ordered, "funnel_component_id": "f" if values else None}
    if row.age is None:
        return stored(row.state, values=values, last_process_timestamp=None, **columns)
    message = stored(row.state, age=row.age, values=values, **columns, last_process_timestamp=ago(row.age))
    if row.is_restarted:
        record_change(message, "FAILED", row.state, age=row.age, actor="ada")
    return message


_failed = {"failed_error_code": "E103", "failed_count": 4}


@pytest.fixture(scope="module")
def page() -> str:
    return (Path(project.BASE_DIR) / "docs/reference/explain.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("rules", quick_first(["openhub", "cleverbus"]))
def test_a_row_has_the_first_code_whose_condition_is_true(settings, rules):
    settings.HUB_RULES = rules
    seen = set()
    for row in rows(rules):
        expected = next(code for code, is_true in WHEN.items() if is_true(row))
        with transaction.atomic():
            message = make(row)
            explanation = explanation_of(message)
            assert explanation.reason == expected, row
            assert_is_possible(explanation, message, rules)
            transaction.set_rollback(True)
        seen.add(expected)
    missing = set(WHEN) - seen
    assert missing == (set() if rules == "cleverbus" else {"starved_by_postponed", "postpones_itself"})


def test_the_conditions_are_in_the_order_of_the_page(page):
    places = [page.index(f"\n| `{code}` | ") for code in WHEN]
    assert places == sorted(places)
    assert 'the first row whose "when" is true gives the code' in " ".join(page.split())


@pytest.mark.parametrize("age", [6, 125, 126, 10_000])
def test_a_postponed_message_without_a_value_is_never_called_overdue(page, age):
    """An overdue message without a value matches both conditions, and must get only one code."""
    explanation = explanation_of(stored("POSTPONED", age=age))
    assert explanation.reason == "postponed_without_cause"
    assert explanation.next["what"] == ("check_hub" if age > 125 else "poll")
    assert (
        "PARTLY_FAILED, or POSTPONED with a funnel value; nothing holds it, due for more than 120 s" in page
    )
    assert "POSTPONED with no funnel value and no guaranteed order, however long it has been due" in page
