import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.cp_queue.services.pickup import get_next
from tests.support.page_client import client_of, text_of
from tests.support.queues import guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db
DISPATCH = "/cp-queue/services/dispatch/"


class TestDispatchService:
    def test_counts_first_and_then_dispatches_what_was_held_by_then(self):
        store("A", lock="W 9")
        client = client_of("operator")
        assert f"{DISPATCH}?service=W%209" in text_of(client.get("/cp-queue/services/"))
        page = text_of(client.get(DISPATCH, {"service": "W 9"}))
        assert "W 9 holds 1 message" in page
        assert "polled a moment ago" not in page
        counted_at = database_clock().isoformat()
        asked = {"service": "W 9", "counted_at": counted_at, "result": "OK", "reason": "its host is gone"}
        for wrong in ({"result": ""}, {"reason": ""}, {"counted_at": "soon"}):
            assert client.post(DISPATCH, asked | wrong).status_code == 400
        assert remaining_messages() == {guid_of("A"): "W 9"}
        answer = client.post(DISPATCH, asked, follow=True)
        assert "Dispatched 1 message: 1 done." in text_of(answer)
        assert remaining_messages() == {}
        assert AuditEntry.objects.get(action="dispatch_cp_service").reason == "its host is gone"
        assert "holds no messages" in text_of(client.get(DISPATCH, {"service": "W 9"}))

    def test_warns_of_a_service_that_is_alive(self):
        store("A")
        get_next(queues="RENDITION", service="cache-1")
        page = text_of(client_of("operator").get(DISPATCH, {"service": "cache-1"}))
        assert "polled a moment ago" in page

    def test_is_for_operators_and_for_names_of_services(self):
        assert client_of("support").get(DISPATCH, {"service": "W9"}).status_code == 403
        operator = client_of("operator", username="bob")
        assert operator.get(DISPATCH).status_code == 404
        assert operator.get(DISPATCH, {"service": "x" * 129}).status_code == 404
