import pytest
from celery import shared_task
from celery.exceptions import Retry
from django.db import transaction

from messages_app.document_history.exactly_once import exactly_once
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.errors import HistoryUnavailable
from messages_app.document_history.services.in_doubt import resubmit_document
from tests.support.histories import ADA, entries_of, history_locked, make_trigger, store_entry

pytestmark = pytest.mark.django_db(transaction=True)


@exactly_once(trigger="t-1")
def book(uuid: str, *, booked: list[str], error: Exception | None = None) -> str:
    """Book an invoice, or fail after it."""
    booked.append(uuid)
    if error is not None:
        raise error
    return f"booked {uuid}"


class TestExactlyOnce:
    def test_runs_once_and_completes(self):
        make_trigger()
        booked: list[str] = []
        assert book("u-1", booked=booked) == "booked u-1"
        assert book(uuid="u-1", booked=booked) is None
        assert booked == ["u-1"]
        assert set(entries_of()) == {"processing", "completed"}

    def test_completes_a_failed_document(self):
        make_trigger()
        booked: list[str] = []
        with pytest.raises(ValueError, match="no such account"):
            book("u-1", booked=booked, error=ValueError("no such account"))
        assert book("u-1", booked=booked) is None
        assert booked == ["u-1"]

    def test_withdraws_its_entry_when_the_task_will_be_retried(self):
        make_trigger()
        booked: list[str] = []
        with pytest.raises(Retry):
            book("u-1", booked=booked, error=Retry())
        assert entries_of() == {}
        assert book("u-1", booked=booked) == "booked u-1"

    def test_does_not_run_a_document_in_doubt_until_it_is_resubmitted(self):
        make_trigger()
        store_entry("processing")
        booked: list[str] = []
        assert book("u-1", booked=booked) is None
        line = DocumentInDoubt.objects.get()
        token = resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="its node died").token
        assert book.resume(token, "u-1", booked=booked) == "booked u-1"
        assert set(entries_of()) == {"processing", "completed"}

    def test_keeps_the_content_of_a_document_in_doubt(self):
        make_trigger()
        store_entry("processing")

        @exactly_once(trigger="t-1")
        def read(uuid: str, document: object, document_name: str) -> None: ...

        read("u-1", {"a": 1}, "reading")
        line = DocumentInDoubt.objects.get()
        assert (line.document, line.document_name) == ({"a": 1}, "reading")

    def test_does_not_run_without_a_verdict(self):
        make_trigger()
        booked: list[str] = []
        with history_locked(), pytest.raises(HistoryUnavailable):
            book("u-1", booked=booked)
        assert booked == []

    def test_completes_nothing_that_the_history_does_not_keep(self):
        make_trigger(use_history=False)
        booked: list[str] = []
        book("u-1", booked=booked)
        book("u-1", booked=booked)
        assert booked == ["u-1", "u-1"]
        assert entries_of() == {}

    def test_refuses_to_be_part_of_a_transaction(self):
        make_trigger()
        with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
            book("u-1", booked=[])
        assert entries_of() == {}

    def test_works_under_a_celery_task(self):
        make_trigger()
        booked: list[str] = []

        @shared_task
        @exactly_once(trigger="t-1")
        def task(*, uuid: str) -> None:
            booked.append(uuid)

        for _ in range(2):
            task.apply(kwargs={"uuid": "u-1"})
        assert booked == ["u-1"]

    def test_shows_when_its_document_was_begun_again_meanwhile(self, caplog):
        make_trigger()

        @exactly_once(trigger="t-1")
        def slow(uuid: str) -> str:
            check_document(trigger_id="t-1", uuid=uuid)
            line = DocumentInDoubt.objects.get()
            resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="it seemed dead")
            return "done"

        assert slow("u-1") == "done"
        assert "this process may not complete it" in caplog.text
        assert set(entries_of()) == {"processing"}
