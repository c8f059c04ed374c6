import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue import selectors, services
from messages_app.cp_queue.models import CpService
from tests.support.page_client import client_of, text_of
from tests.support.queues import ADA, store, store_many

pytestmark = pytest.mark.django_db
HOME, QUEUE = "/cp-queue/", "/cp-queue/queue/"


class TestQueueList:
    def test_reports_the_figures_of_each_queue(self):
        store("A", age="3 days")
        store("B")
        store("C", osid=6, lock="W9")
        guid = store("D", osid=7, lock="W1")
        services.dispatch(guid=guid, service="W1", reason="no such file")
        page = text_of(client_of("support").get(HOME))
        for words in ("3 d", "state=reserved", "min now", "1 failed", "PAGECOUNT"):
            assert words in page
        assert "Create messages" not in page

    def test_warns_of_a_service_that_is_probably_dead(self):
        store("A", lock="indexer-9")
        page = text_of(client_of("operator").get(HOME))
        assert "indexer-9</a> is probably dead: it holds 1 message, and has never polled here" in page
        assert "/cp-queue/reset/?service=indexer-9" in page

    def test_marks_queues_that_no_one_documents_and_those_that_are_paused(self):
        store("A", "OCR/2")
        services.pause_queue(queue="RENDITION", actor=ADA, reason="r")
        page = text_of(client_of("support").get(HOME))
        assert "queuename=OCR%2F2" in page
        assert "unknown</span>" in page
        assert "paused</span>" in page

    def test_has_pages_if_there_are_many_queues(self):
        for number in range(30):
            store(f"A{number}", f"Q{number:02}")
        client = client_of("support")
        page = text_of(client.get(HOME))
        assert "Next page" in page
        assert "Q29" not in page
        assert "Q29" in text_of(client.get(HOME, {"after": "Q20"}))

    def test_is_not_for_services(self):
        assert client_of("cp_service").get(HOME).status_code == 403


class TestQueuePage:
    def test_shows_the_next_pickup_and_its_services(self):
        store("A")
        CpService.objects.create(service="cache-1", queues="PAGECOUNT,RENDITION")
        page = text_of(client_of("support").get(QUEUE, {"queuename": "RENDITION"}))
        assert "cache-1" in page
        assert "of object <a" in page
        assert "Pause queue" not in page

    @pytest.mark.parametrize("name", ["", " ", "x" * 129, "a\nb", "a\0b"])
    def test_refuses_an_invalid_name(self, name):
        assert client_of("support").get(QUEUE, {"queuename": name}).status_code == 400

    def test_counts_no_more_than_its_fence(self):
        store_many(selectors.COUNTED + 5)
        assert "more than" in text_of(client_of("support").get(QUEUE, {"queuename": "RENDITION"}))


class TestPause:
    def test_pauses_and_resumes_with_a_reason(self):
        store("A")
        client = client_of("operator")
        asked = {"queuename": "RENDITION", "reason": "the converter is down"}
        client.post(f"{QUEUE}pause/", asked)
        assert services.get_next(queues="RENDITION", service="W1") is None
        assert "the converter is down" in text_of(client.get(QUEUE, {"queuename": "RENDITION"}))
        client.post(f"{QUEUE}resume/", asked)
        assert services.get_next(queues="RENDITION", service="W1")
        assert set(AuditEntry.objects.values_list("action", flat=True)) == {
            "pause_cp_queue",
            "resume_cp_queue",
        }

    def test_needs_a_reason_and_the_right(self):
        asked = {"queuename": "RENDITION"}
        assert client_of("operator").post(f"{QUEUE}pause/", asked).status_code == 400
        assert client_of("support", username="sue").post(f"{QUEUE}pause/", asked).status_code == 403
        assert AuditEntry.objects.get().outcome == "refused"
