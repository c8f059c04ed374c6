from datetime import timedelta

import pytest

from messages_app.demo.document_intake import IDS, make_triggers
from messages_app.demo.hub import repair
from messages_app.demo.hub.arrivals import receive_message
from messages_app.demo.hub.play import Document, Intake, Timing
from messages_app.document_history.models import (
    DocumentHistory,
    DocumentInDoubt,
    DocumentOpen,
    DocumentOutcome,
)
from messages_app.document_history.services.in_doubt import resubmit_document
from messages_app.document_history.services.triggers import suspend_trigger
from messages_app.messages.models import Message
from tests.messages_app.demo.hub.playing import done, make_stage
from tests.support.histories import ADA

pytestmark = pytest.mark.django_db


@pytest.fixture
def gentle(db):
    make_triggers()
    return make_stage(is_gentle=True)


def sent(number: int, stored: list[int], service: str = "order") -> Document:
    return Document(
        service=service,
        uuid=f"u-{number}",
        name="createOrder",
        content="<order/>",
        store=lambda: stored.append(number),
    )


class TestTakeIn:
    def test_stores_each_document_once_and_leaves_unfinished_ones(self, gentle):
        intake, stored = Intake(), []
        for number in range(1, 301):
            intake.take_in(sent(number, stored))
        died = [12, 262]
        assert stored == [number for number in range(1, 301) if number not in died]
        counts = DocumentOutcome.objects.values_list("status", flat=True)
        assert sorted(set(counts)) == ["DUPLICATE", "IN_DOUBT"]
        assert set(DocumentInDoubt.objects.values_list("document_uuid", "document")) == {("u-12", "<order/>")}
        assert set(DocumentOpen.objects.values_list("document_uuid", flat=True)) == {"u-12", "u-262"}

    def test_stores_documents_without_a_trigger(self, gentle):
        stored = []
        Intake().take_in(sent(1, stored, service="notification"))
        assert stored == [1]
        assert not DocumentHistory.objects.exists()

    def test_accepts_nothing_for_a_suspended_trigger(self, gentle):
        suspend_trigger(trigger_id=IDS["order"], because="The ledger is down.")
        stored = []
        assert Intake().take_in(sent(1, stored)) is None
        assert stored == []


class TestReceive:
    def test_uses_the_intake_only_in_a_gentle_hub(self, gentle):
        for _ in range(30):
            receive_message(gentle)
        completed = DocumentHistory.objects.filter(status="completed")
        uuids = set(completed.values_list("document_uuid", flat=True))
        assert uuids
        assert uuids <= set(Message.objects.values_list("correlation_id", flat=True))
        receive_message(make_stage())
        assert completed.count() == len(uuids)


class TestProcessResubmitted:
    def test_makes_a_message_of_it_and_completes_it(self, gentle):
        intake, stored = Intake(), []
        for number in range(1, 20):
            intake.take_in(sent(number, stored))
        line = DocumentInDoubt.objects.get()
        resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="run it", takes=False)
        done(repair.process_resubmitted(gentle))
        message = Message.objects.get(correlation_id="u-12")
        assert (message.payload, message.operation_name) == ("<order/>", "createOrder")
        assert DocumentHistory.objects.filter(document_uuid="u-12", status="completed").exists()
        line.refresh_from_db()
        assert line.taken_by == "demo hub"
        done(repair.process_resubmitted(gentle))
        assert Message.objects.filter(correlation_id="u-12").count() == 1


class TestGentle:
    def test_agrees_with_the_pages(self):
        timing = Timing.make_gentle(10)
        assert timing.as_settings() == {
            "HUB_POLL_SECONDS": "6",
            "HUB_FAILED_REST_SECONDS": "6",
            "HUB_POSTPONED_REST_SECONDS": "1",
        }
        assert (timing.poll_every, timing.partly_failed_rests, timing.postponed_rests) == (
            timedelta(seconds=6),
            timedelta(seconds=6),
            timedelta(seconds=1),
        )

    def test_does_not_change_the_windows_of_the_pages(self):
        timing = Timing.make_gentle(10)
        assert (timing.repair_after, timing.order_fails_after) == (timedelta(seconds=300),) * 2
        assert timing.funnel_idle_after == timedelta(seconds=600)
