import pytest

from messages_app.audit.models import AuditEntry
from tests.support.page_client import client_of, text_of
from tests.support.page_undo import has_undo, press_undo, read_undo_form
from tests.support.stores import define_orders, process, row_of, set_process, status_of, store

pytestmark = pytest.mark.django_db


def address(key: str, action: str) -> str:
    return f"/message-store/messages/{key}/{action}/"


class TestAct:
    def test_reprocesses_with_a_reason(self):
        key = store()
        set_process(key, status=25)
        client = client_of("operator")
        assert client.post(address(key, "reprocess"), {"reason": ""}).status_code == 400
        assert client.post(address(key, "reprocess"), {"reason": "fixed"}).status_code == 302
        assert status_of(key) == 0
        assert AuditEntry.objects.get(action="reprocess_stored").reason == "fixed"

    def test_asks_for_the_entity_of_a_refresh(self):
        key = store(refresh=True)
        set_process(key, status=10)
        client = client_of("operator")
        answer = client.post(address(key, "reprocess"), {"reason": "again"})
        assert answer.status_code == 400
        assert "Confirm by naming the entity" in text_of(answer)
        values = {"reason": "again", "confirm_refresh": "customer"}
        assert client.post(address(key, "reprocess"), values).status_code == 302
        assert status_of(key) == 0

    def test_makes_a_waiting_message_due(self):
        define_orders()
        key = store([{"id": 1, "customer": 9}], entity="order")
        due = process(key).next_attempt_timestamp
        assert client_of("operator").post(address(key, "retry-now"), {"reason": "it came"}).status_code == 302
        assert row_of(key).next_attempt_timestamp < due

    def test_releases_one_whose_worker_is_known_to_be_dead(self):
        key = store()
        set_process(key, status=1)
        client = client_of("operator")
        answer = client.post(address(key, "release"), {"reason": "dead"})
        assert answer.status_code == 409
        assert "Confirm that its worker is dead" in text_of(answer)
        values = {"reason": "dead", "is_worker_dead": "on"}
        assert client.post(address(key, "release"), values).status_code == 302
        assert status_of(key) == 0

    def test_mutes_and_unmutes(self):
        key = store()
        set_process(key, status=25)
        client = client_of("operator")
        page = f"/message-store/messages/{key}/"
        assert ">Unmute</h2>" not in text_of(client.get(page))
        assert client.post(address(key, "mute"), {"reason": "known"}).status_code == 302
        shown = text_of(client.get(page))
        assert "It is muted" in shown
        assert ">Mute</h2>" not in shown
        assert key in text_of(client.get("/message-store/messages/?muted=true"))
        assert client.post(address(key, "unmute"), {"reason": "needed again"}).status_code == 302
        client.get(page)
        assert key not in text_of(client.get("/message-store/messages/?muted=true"))

    def test_offers_to_undo_only_muting_and_unmuting(self):
        key = store()
        set_process(key, status=25)
        client = client_of("operator")
        page = client.post(address(key, "mute"), {"reason": "known"}, follow=True)
        assert read_undo_form(page) == (address(key, "unmute"), {"reason": "Undone."})
        assert press_undo(client, page).status_code == 302
        assert AuditEntry.objects.latest("pk").reason == "Undone."
        assert read_undo_form(client.get("/message-store/"))[0] == address(key, "mute")
        assert key not in text_of(client.get("/message-store/messages/?muted=true"))
        assert not has_undo(client.post(address(key, "reprocess"), {"reason": "fixed"}, follow=True))

    def test_refuses_users_with_read_permission_and_audits_it(self):
        key = store()
        set_process(key, status=25)
        assert client_of("support").post(address(key, "reprocess"), {"reason": "x"}).status_code == 403
        assert status_of(key) == 25
        entry = AuditEntry.objects.get()
        assert (entry.outcome, entry.subject_kind, entry.subject) == ("refused", "store_message", key)
