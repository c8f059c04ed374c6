"""Actions over the API: the status that each answers with, and its audit entry with its reason."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.message_store.services.messages import mute_message
from tests.support.api_client import caller
from tests.support.stores import ADA, row_of, set_process, store

pytestmark = pytest.mark.django_db

COLUMNS = ("actor", "subject_kind", "subject", "action", "before_state", "after_state", "reason", "details")


class TestActions:
    @pytest.mark.parametrize(
        ("path", "body", "before", "after", "details"),
        [
            ("reprocess", {"confirm_refresh": "customer"}, 26, 0, {"confirmed_entity": "customer"}),
            ("retry-now", {}, 2, 2, {}),
            ("release", {"worker_is_dead": True}, 3, 0, {"is_worker_dead": True}),
            ("mute", {}, 25, 25, {}),
            ("unmute", {}, 25, 25, {}),
        ],
    )
    def test_answer_with_the_status_and_are_audited_with_their_reason(
        self, path, body, before, after, details
    ):
        key, other = store(refresh=True), store()
        for one in (key, other):
            set_process(one, status=before)
            if path == "unmute":
                mute_message(identifier=one, actor=ADA, reason="known")
        asked = body | {"reason": "as agreed", "expected_state": before}
        answer = caller("operator", username="grace").post(f"message-store/{key}/{path}/", asked)
        assert answer.status_code == 200, answer.content
        told = answer.json()
        assert (told["message_identifier"], told["status"]) == (key, after)
        assert (told["muted_at"] is not None, row_of(other).status) == (path == "mute", before)
        (row,) = AuditEntry.objects.filter(actor="grace").values_list(*COLUMNS)
        action = f"{path.replace('-', '_')}_stored"
        assert row == (
            "grace",
            "store_message",
            key,
            action,
            str(before),
            str(after),
            "as agreed",
            details,
        )
