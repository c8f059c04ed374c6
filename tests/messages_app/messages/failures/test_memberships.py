from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.incidents.models import IncidentCell, IncidentMessage
from messages_app.messages.failures.memberships import ends_of_causes, probe_causes, select_causes
from messages_app.messages.failures.models import FailureMember
from messages_app.messages.models import Message
from tests.support.api_client import caller
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db

OUTAGE, LATER = 71, 72


def put_member(name: str, cell_id: int, minutes: float) -> int:
    """Store a message of a cell that failed some minutes after the first minute."""
    start = database_clock().replace(second=0, microsecond=0) - timedelta(hours=1)
    message = make_message(state="FAILED", object_id=name)
    FailureMember.objects.create(
        msg_id=message.pk, group_id=1, cell_id=cell_id, at=start + timedelta(minutes=minutes)
    )
    return message.pk


def put_range(incident_id: int, cell_id: int, first: int, last: int) -> None:
    """Give the minutes of a cell to an incident, both ends included."""
    start = database_clock().replace(second=0, microsecond=0) - timedelta(hours=1)
    IncidentCell.objects.create(
        incident_id=incident_id,
        cell_id=cell_id,
        first=start + timedelta(minutes=first),
        last=start + timedelta(minutes=last),
        reason="text",
        strength="high",
        origin_id=incident_id,
    )


@pytest.fixture
def names() -> dict[str, int]:
    """An incident of two cells in some minutes, the next one of the same cell, and decisions of people."""
    put_range(OUTAGE, 1, 10, 12)
    put_range(OUTAGE, 2, 10, 10)
    put_range(LATER, 1, 20, 30)
    ids = {
        "before": put_member("before", 1, 9.99),
        "first": put_member("first", 1, 10),
        "last": put_member("last", 1, 12.99),
        "after": put_member("after", 1, 13),
        "other cell": put_member("other cell", 2, 10.5),
        "later": put_member("later", 1, 25),
        "moved away": put_member("moved away", 1, 11),
        "moved here": put_member("moved here", 3, 11),
        "no cell": make_message(state="FAILED", object_id="no cell").pk,
    }
    IncidentMessage.objects.create(msg_id=ids["moved away"], incident_id=LATER, decided_by="ada")
    IncidentMessage.objects.create(msg_id=ids["moved here"], incident_id=OUTAGE, decided_by="ada")
    return ids


EXPECTED = {OUTAGE: {"first", "last", "other cell", "moved here"}, LATER: {"later", "moved away"}, 73: set()}


class TestMessagesOfAnIncident:
    @pytest.mark.parametrize("select", [select_causes, probe_causes])
    @pytest.mark.parametrize("incident_id", EXPECTED)
    def test_are_those_of_its_minutes_unless_a_person_moved_them(self, names, select, incident_id):
        rows = select(Message.objects.all(), group_id=None, incident_id=incident_id)
        assert set(rows.values_list("object_id", flat=True)) == EXPECTED[incident_id]

    @pytest.mark.parametrize("select", [select_causes, probe_causes])
    def test_are_narrowed_by_a_group_too(self, names, select):
        FailureMember.objects.filter(msg_id=names["first"]).update(group_id=2)
        rows = select(Message.objects.all(), group_id=2, incident_id=OUTAGE)
        assert list(rows.values_list("object_id", flat=True)) == ["first"]

    def test_lie_between_the_ends_that_a_list_reads(self, names):
        ends = ends_of_causes(group_id=None, incident_id=OUTAGE)
        assert ends == {"msg_id__gte": names["first"], "msg_id__lte": names["moved here"]}
        assert ends_of_causes(group_id=None, incident_id=73) == {"msg_id__gte": 1, "msg_id__lte": 0}
        assert ends_of_causes(group_id=None, incident_id=None) == {}

    def test_have_the_ends_of_the_group_if_it_is_narrower(self, names):
        FailureMember.objects.filter(msg_id__in=[names["last"], names["later"]]).update(group_id=2)
        ends = ends_of_causes(group_id=2, incident_id=OUTAGE)
        assert ends == {"msg_id__gte": names["last"], "msg_id__lte": names["later"]}

    def test_are_listed_and_counted_by_the_filter_of_the_api(self, names):
        support = caller("support")
        rows = support.get(f"messages/?incident={OUTAGE}").json()["results"]
        assert {row["object_id"] for row in rows} == EXPECTED[OUTAGE]
        count = support.get(f"messages/count/?incident={OUTAGE}&exact=true").json()
        assert count == {"count": 4, "exact": True}
        narrowed = support.get(f"messages/?incident={OUTAGE}&object_id=first").json()["results"]
        assert [row["object_id"] for row in narrowed] == ["first"]
