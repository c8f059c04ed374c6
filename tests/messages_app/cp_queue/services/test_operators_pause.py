import pytest

from messages_app.cp_queue import selectors
from messages_app.cp_queue.models import CpPause
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.services.create import create_messages
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import pause_queue, resume_queue
from messages_app.cp_queue.services.pickup import get_next
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.queues import ADA, make_due, remaining_messages, store

pytestmark = pytest.mark.django_db


def picked(queues: str = "RENDITION,PAGECOUNT") -> str | None:
    found = get_next(queues=queues, service="W1")
    return found and found.guid


class TestPauseQueue:
    def test_stops_new_reservations_and_keeps_existing_ones(self):
        held = store("A", osid=1)
        assert picked() == held
        store("B", osid=2)
        other = store("C", "PAGECOUNT", osid=3, age="1 hour")
        assert pause_queue(queue="RENDITION", actor=ADA, reason="the converter is down")
        assert selectors.preview_pickup(queues="RENDITION") is None
        assert [picked(), picked()] == [other, None]
        assert dispatch_message(guid=held, service="W1", reason="OK").outcome == "done"
        assert create_messages(object_id=2, object_type=1, queues=["RENDITION"]) == 1

    def test_keeps_due_messages_back_too(self):
        guid = store("A")
        picked()
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        make_due(guid)
        pause_queue(queue="RENDITION", actor=ADA)
        assert picked() is None
        assert remaining_messages() == {guid: None}

    def test_does_nothing_the_second_time(self):
        asked = {"queue": "RENDITION", "actor": GRACE}
        changed = [pause_queue(**asked, reason=reason) for reason in ("broken", "again")]
        changed += [resume_queue(**asked, reason=reason) for reason in ("mended", "again")]
        assert changed == [True, False, True, False]
        details = {"queue": "RENDITION"}
        assert audit_rows() == [
            by_grace(
                "pause_cp_queue",
                before_state="active",
                after_state="paused",
                reason="broken",
                details=details,
            ),
            by_grace(
                "resume_cp_queue",
                before_state="paused",
                after_state="active",
                reason="mended",
                details=details,
            ),
        ]

    def test_keeps_who_paused_it_and_why_and_when(self):
        pause_queue(queue="RENDITION", actor=GRACE, reason="broken")
        pause = CpPause.objects.get()
        assert (pause.queuename, pause.actor, pause.reason) == ("RENDITION", "grace", "broken")
        (counts,) = selectors.queue_counts(queues=["RENDITION"])
        assert counts.paused_at == pause.paused_at


class TestResumeQueue:
    def test_lets_it_give_out_messages_again(self):
        guid = store("A")
        pause_queue(queue="RENDITION", actor=ADA)
        assert resume_queue(queue="RENDITION", actor=ADA)
        assert not resume_queue(queue="RENDITION", actor=ADA)
        assert picked() == guid

    def test_refuses_an_invalid_name(self):
        with pytest.raises(InvalidParameter):
            resume_queue(queue="", actor=ADA)

    def test_changes_only_the_queue_with_exactly_the_name(self):
        pause_queue(queue=" RENDITION\t", actor=ADA)
        assert not resume_queue(queue="RENDITION", actor=ADA)
        assert resume_queue(queue=" RENDITION\t", actor=ADA)
