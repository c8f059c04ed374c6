import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue import selectors, services
from tests.support.queues import ADA, make_due, remaining_messages, store

pytestmark = pytest.mark.django_db


def picked(queues: str = "RENDITION,PAGECOUNT") -> str | None:
    found = services.get_next(queues=queues, service="W1")
    return found and found.guid


class TestPauseQueue:
    def test_stops_new_reservations_and_keeps_existing_ones(self):
        held = store("A", osid=1)
        assert picked() == held
        store("B", osid=2)
        other = store("C", "PAGECOUNT", osid=3, age="1 hour")
        assert services.pause_queue(queue="RENDITION", actor=ADA, reason="the converter is down")
        assert selectors.preview(queues="RENDITION") is None
        assert [picked(), picked()] == [other, None]
        assert services.dispatch(guid=held, service="W1", reason="OK").outcome == "done"
        assert services.create(object_id=2, object_type=1, queues=["RENDITION"]) == 1

    def test_keeps_due_messages_back_too(self):
        guid = store("A")
        picked()
        services.dispatch(guid=guid, service="W1", reason="RETRY")
        make_due(guid)
        services.pause_queue(queue="RENDITION", actor=ADA)
        assert picked() is None
        assert remaining_messages() == {guid: None}

    def test_does_nothing_the_second_time(self):
        changed = [services.pause_queue(queue="RENDITION", actor=ADA) for _ in range(2)]
        assert changed == [True, False]
        assert AuditEntry.objects.filter(action="pause_cp_queue").count() == 1
        (counts,) = selectors.queue_counts(queues=["RENDITION"])
        assert counts.paused_at is not None


class TestResumeQueue:
    def test_lets_it_give_out_messages_again(self):
        guid = store("A")
        services.pause_queue(queue="RENDITION", actor=ADA)
        assert services.resume_queue(queue="RENDITION", actor=ADA)
        assert not services.resume_queue(queue="RENDITION", actor=ADA)
        assert picked() == guid

    def test_refuses_an_invalid_name(self):
        with pytest.raises(services.InvalidParameter):
            services.resume_queue(queue="", actor=ADA)

    def test_changes_only_the_queue_with_exactly_the_name(self):
        services.pause_queue(queue=" RENDITION\t", actor=ADA)
        assert not services.resume_queue(queue="RENDITION", actor=ADA)
        assert services.resume_queue(queue=" RENDITION\t", actor=ADA)
