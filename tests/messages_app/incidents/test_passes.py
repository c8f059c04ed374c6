"""Outages in the hub's tables are one incident each after the real pass."""

import pytest

from tests.messages_app.incidents.hub_days import (
    EventDay,
    gather_day,
    make_event_day,
    make_mixed_event_day,
    score_incidents,
    write_day,
)
from tests.messages_app.incidents.outages import SHAPES
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

# Seeds that the rule was not made with.
REPORT = range(1000, 1040)
MIXED = range(6000, 6012)


def list_wrong(day: EventDay) -> list:
    truths = write_day(day)
    gather_day()
    return [score for score in score_incidents(day, truths) if not score.is_right]


@pytest.mark.parametrize(
    ("seed", "shape"),
    quick_first([pytest.param(1001, "system"), pytest.param(1002, "release"), pytest.param(1003, "sender")]),
)
def test_an_outage_in_the_tables_of_the_hub_is_one_incident(seed, shape):
    assert list_wrong(make_event_day(seed, shape)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", REPORT)
def test_outages_of_all_kinds_in_the_tables_of_the_hub_are_one_incident_each(seed):
    assert list_wrong(make_event_day(seed, SHAPES[seed % len(SHAPES)])) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", MIXED)
def test_outages_with_other_texts_ports_and_times_in_the_tables_of_the_hub_are_one_incident_each(seed):
    assert list_wrong(make_mixed_event_day(seed)) == []
