"""
Pickups by operators and by the server itself.

Source: docs/contributing/spec/cp_queue.md, "Operations", "Console".
"""

from dataclasses import asdict

import pytest

from messages_app.cp_queue.models import CpDispatch, CpMessage
from messages_app.cp_queue.services.pickup import (
    Picked,
    get_next,
    get_next_many,
    poll_queues,
    process_page_counts,
)
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.factories import make_message
from tests.support.queues import guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db


@pytest.fixture
def messages() -> None:
    """Store a message that is picked up next, two that it replaces, and one of another queue."""
    store("A", "OCR", 71, ostype=82, age="1 minute")
    for name in ("older", "oldest"):
        store(name, "OCR", 71, ostype=93, age="1 hour")
    store("other", osid=104)


def values_of(picked: Picked) -> dict[str, object]:
    return asdict(picked) | {"token": picked.token and len(picked.token)}


@pytest.mark.usefixtures("messages")
class TestPicked:
    @pytest.mark.parametrize("wants_token", [False, True])
    @pytest.mark.parametrize("is_batch", [False, True])
    def test_has_all_values_of_the_message(self, is_batch, wants_token):
        created = CpMessage.objects.get(pk=guid_of("A")).created
        asked = {"queues": "OCR", "service": "W1", "wants_token": wants_token}
        if is_batch:
            (picked,) = get_next_many(**asked, count=5)
        else:
            picked = get_next(**asked)
        assert values_of(picked) == {
            "guid": guid_of("A"),
            "queue": "OCR",
            "object_id": 71,
            "object_type": 82,
            "created": created,
            "collapsed": 2,
            "token": 32 if wants_token else None,
        }


@pytest.mark.usefixtures("messages")
class TestPoll:
    def test_reserves_a_message_for_the_operator_and_is_audited(self):
        for queues in ("NEW", "OCR", "OCR"):
            poll_queues(queues=queues, actor=GRACE, reason="a test")
        assert remaining_messages() == {guid_of("A"): "console:grace", guid_of("other"): None}
        assert audit_rows() == [
            by_grace(
                "poll_cp_queue",
                subject_kind="cp_message",
                subject=guid_of("A"),
                before_state="free",
                after_state="reserved",
                reason="a test",
                details={"service": "console:grace", "queue": "OCR", "collapsed": 2},
            )
        ]


class TestProcessPageCounts:
    def test_dispatches_messages_of_one_queue_by_the_pages_of_their_objects(self):
        make_message(object_id="71", payload="line\n" * 130)
        store("A", "PAGECOUNT", 71, ostype=82), store("B", "PAGECOUNT", 93, ostype=104, age="1 hour")
        store("C", "PAGECOUNT", 115, age="1 day"), store("other", osid=71)
        counted = process_page_counts(count=2)
        assert [(one.guid, one.object_id, one.page_count, one.outcome) for one in counted] == [
            (guid_of("A"), 71, 3, "done"),
            (guid_of("B"), 93, None, "failed"),
        ]
        assert remaining_messages() == {guid_of("C"): None, guid_of("other"): None}
        log = CpDispatch.objects.order_by("dispatch_id").values_list(
            "messageguid", "service", "reason", "actor"
        )
        assert list(log) == [
            (guid_of("A"), "console:page-count", "OK", ""),
            (guid_of("B"), "console:page-count", "FAILED: no object has this id", ""),
        ]
        assert [one.guid for one in process_page_counts(count=9)] == [guid_of("C")]
        assert process_page_counts(count=9) == []
