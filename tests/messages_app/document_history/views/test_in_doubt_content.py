"""The pages of a document in doubt and of a trigger, with values that all differ."""

import pytest

from messages_app.core.reason_form import ReasonForm
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.in_doubt import Resubmitted
from messages_app.document_history.states import Pair
from tests.messages_app.document_history.views.shown_documents import moment, show, trigger
from tests.messages_app.document_history.views.test_entries_content import entry


def doubt(**columns: object) -> DocumentInDoubt:
    values = {
        "trigger_id": "t-1",
        "document_uuid": "u-1",
        "identifier": "u-1",
        "document_name": "invoice",
        "rule": "processing",
        "message": "It has only begun.",
        "deliveries": 12,
        "redelivery_count": 13,
        "received_at": moment(1),
        "last_received_at": moment(2),
        "state": "open",
    }
    return DocumentInDoubt(in_doubt_id=71, **values | columns)


def lines_of(shown: DocumentInDoubt, **values: object) -> list[str]:
    context = {
        "line": shown,
        "why": "Unknown.",
        "trigger": trigger(1),
        "entry": entry(11, pair=Pair.PROCESSING_ONLY),
        "document_bytes": 61_000,
        "resubmit_form": ReasonForm(auto_id="resubmit_%s"),
        "settle_form": ReasonForm(auto_id="settle_%s"),
    }
    return show("in_doubt", **context | values)


class TestInDoubt:
    def test_shows_all_its_values(self):
        assert lines_of(doubt()) == [
            "Why it is in doubt",
            "Unknown.",
            "It has only begun.",
            "Document: u-1",
            "Document type: invoice",
            "Trigger: [trigger 1](/document-history/triggers/t-1/)",
            "Received: 2026-11-02 12:01:00 UTC",
            "Deliveries: 12, latest 2026-11-02 12:02:00 UTC",
            "Redelivery count: 13",
            (
                "History entry: {paused} (title: Processing started and has not ended: it may still be "
                "running, or the process died.) undetermined started 2026-11-02 12:11:00 UTC"
            ),
            "(get /document-history/in-doubt/71/document/)",
            "Document",
            "61 kB",
            "[Open the document](/document-history/in-doubt/71/document/)",
            "Resubmit document",
            "(/document-history/in-doubt/71/resubmit/)",
            (
                "Sends it to trigger 1 once, skipping duplicate detection. If its first processing "
                "succeeded, it is processed twice. A process that is still working on it can no longer "
                "complete it."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Resubmit document",
            "Settle document",
            "(/document-history/in-doubt/71/settle/)",
            (
                "Marks it as processed: use this if you know that it was. It is not processed again, and "
                "later copies are duplicates."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Settle document",
        ]

    def test_shows_one_without_an_identifier(self):
        bare = doubt(
            identifier="",
            document_uuid="",
            document_name="",
            deliveries=1,
            redelivery_count=-1,
            message="Unknown.",
        )
        lines = lines_of(bare, trigger=None, entry=None, document_bytes=None, refusal="It is settled.")
        assert lines == [
            "It is settled. Nothing was changed.",
            "Why it is in doubt",
            "Unknown.",
            "Document: –",
            "Document type: –",
            "Trigger: t-1",
            "Received: 2026-11-02 12:01:00 UTC",
            "Deliveries: 1",
            "Redelivery count: not counted",
            "History entry: none: the document has no UUID",
            "Document",
            "Content was not sent",
            "Resubmit document",
            "(/document-history/in-doubt/71/resubmit/)",
            (
                "Sends it to its trigger once, skipping duplicate detection. If its first processing "
                "succeeded, it is processed twice."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Resubmit document",
            "Settle document",
            "(/document-history/in-doubt/71/settle/)",
            "Marks it as processed: use this if you know that it was. It is not processed again.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Settle document",
        ]
        assert "History entry: no entry" in lines_of(doubt(), entry=None)

    def test_warns_that_the_history_was_unavailable(self):
        lost = "The trigger did not wait for the history."
        assert any(words.startswith(lost) for words in lines_of(doubt(rule="history_unavailable")))
        assert not any(words.startswith(lost) for words in lines_of(doubt()))

    def test_shows_the_decision_and_who_took_it(self):
        decided = {"resolved_at": moment(3), "resolved_by": "ana", "reason": "it was lost"}
        waiting = lines_of(doubt(state="resubmitted", **decided))
        assert waiting[waiting.index("Redelivery count: 13") + 2 :] == [
            "Decided: resubmitted by ana, 2026-11-02 12:03:00 UTC",
            "Reason: it was lost",
            "Taken: not yet",
            "(get /document-history/in-doubt/71/document/)",
            "Document",
            "61 kB",
            "[Open the document](/document-history/in-doubt/71/document/)",
            "Waiting for its trigger",
            "(/document-history/in-doubt/71/take/)",
            (
                "The trigger takes it with POST /api/v1/document-history/take/. If it does not, take the "
                "document yourself and process it. No one else can take it then."
            ),
            "Take document",
        ]
        taken = lines_of(doubt(state="resubmitted", taken_at=moment(4), taken_by="ben", **decided))
        assert "Taken: by ben, 2026-11-02 12:04:00 UTC" in taken
        assert "Take document" not in taken
        settled = lines_of(doubt(state="settled", **decided))
        assert "Decided: settled by ana, 2026-11-02 12:03:00 UTC" in settled
        assert not any(words.startswith("Taken") or "Resubmit" in words for words in settled)

    def test_offers_nothing_to_users_who_may_not_decide(self):
        assert lines_of(doubt(), may_resolve=False)[-1] == "An operator must resubmit or settle it."
        assert "Take document" not in lines_of(doubt(state="resubmitted"), may_resolve=False)

    @pytest.mark.parametrize("token", ["secret", None])
    def test_shows_the_token_once(self, token):
        taken = Resubmitted(line=doubt(), token=token)
        lines = lines_of(doubt(state="resubmitted"), resubmitted=taken, completion='{"token": "secret"}')
        assert ('{"token": "secret"}' in lines) == bool(token)
        assert any("The history has no entry for it" in words for words in lines) == (not token)
