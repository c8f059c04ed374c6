import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.services.pickup import get_next
from tests.support.page_client import client_of, text_of
from tests.support.queues import guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db
RESET = "/cp-queue/reset/"


class TestResetSelection:
    def test_counts_before_and_writes_nothing(self):
        store("A", lock="W9")
        store("B", osid=6, lock="W9")
        client = client_of("operator")
        empty = client.get(RESET)
        assert (empty.status_code, empty.context["selected"], empty.context["form"].is_bound) == (
            200,
            None,
            False,
        )
        answer = client.get(RESET, {"service": "W9"})
        assert (answer.status_code, answer.context["form"].conditions) == (200, [("service", "W9")])
        assert "2 messages would be released" in text_of(answer)
        assert set(remaining_messages().values()) == {"W9"}
        assert not AuditEntry.objects.exists()

    def test_warns_of_a_worker_that_is_alive(self):
        store("A")
        get_next(queues="RENDITION", service="cache-1")
        client = client_of("operator")
        page = text_of(client.get(RESET, {"queue": "RENDITION"}))
        assert "cache-1 polled a moment ago" in page
        store("B", "PAGECOUNT", osid=6, lock="W9")
        assert "a moment ago" not in text_of(client.get(RESET, {"queue": "PAGECOUNT"}))

    def test_frees_a_service(self):
        store("A", lock="W9")
        asked = {"service": "W9", "reason": "its host is gone"}
        assert "1 message reset." in text_of(client_of("operator").post(RESET, asked, follow=True))
        assert remaining_messages() == {guid_of("A"): None}
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.reason) == ("reset_cp_service", "its host is gone")

    def test_frees_a_selection(self):
        store("A", lock="W9")
        store("B", "PAGECOUNT", lock="W9")
        asked = {
            "service": "W9",
            "queue": "PAGECOUNT",
            "created_before": "2099-01-01 00:00:00",
            "object_id": "5",
            "object_type": "65536",
            "reason": "its disk is full",
        }
        assert client_of("operator").post(RESET, asked).status_code == 302
        assert remaining_messages() == {guid_of("A"): "W9", guid_of("B"): None}
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.reason) == ("reset_cp_selection", "its disk is full")
        assert entry.details == {
            "service": "W9",
            "queue": "PAGECOUNT",
            "object_id": "5",
            "object_type": "65536",
            "created_before": "2099-01-01 00:00:00+00:00",
            "released": 1,
            "messages": [guid_of("B")],
        }

    @pytest.mark.parametrize(
        "asked",
        [
            {"reason": "r"},
            {"service": "W9"},
            {"service": "x" * 129, "reason": "r"},
            {"object_type": "-1", "reason": "r"},
            {"object_id": "x", "reason": "r"},
            {"queue": "a\0b", "reason": "r"},
        ],
    )
    def test_does_nothing_if_something_is_wrong(self, asked):
        store("A", lock="W9")
        assert client_of("operator").post(RESET, asked).status_code == 400
        assert remaining_messages() == {guid_of("A"): "W9"}

    def test_shows_what_is_wrong_with_a_count(self):
        for asked, words in (({"created_before": "soon"}, "valid date/time"), ({"queue": "x" * 129}, "128")):
            answer = client_of("operator", username=words).get(RESET, asked)
            assert (answer.status_code, answer.context["selected"]) == (400, None)
            assert words in str(answer.context["form"].errors)

    def test_is_for_operators(self):
        client = client_of("support")
        assert client.get(RESET).status_code == 403
        assert client.post(RESET, {"service": "W9", "reason": "r"}).status_code == 403
        assert [*AuditEntry.objects.values_list("outcome", flat=True)] == ["refused"] * 2
