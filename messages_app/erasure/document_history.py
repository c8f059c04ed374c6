"""The document history: all data about documents whose id is the key."""

from collections.abc import Sequence
from functools import partial

from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentInDoubt, DocumentOutcome
from messages_app.erasure.incidents import forget_items
from messages_app.erasure.rows import Values, delete_rows, ids_of, reader_of_column
from messages_app.erasure.run import Changed, Erasure

history_statements = Statements("messages_app.document_history")
statements = Statements("messages_app.erasure")


_MAX_TRIGGERS = 1_000_000

PLACE = "document_history"


def erase_subject(erasure: Erasure) -> None:
    """Erase the document under each trigger. A document that is in progress or in doubt stays."""
    triggers = [row[0] for row in history_statements.fetch_rows("trigger_ids", {"limit": _MAX_TRIGGERS})]
    values = {"key": erasure.key.value, "triggers": triggers}
    for trigger, is_open, is_in_doubt in statements.fetch_rows("found_documents", values):
        if is_open:
            erasure.leave(
                PLACE, trigger, "a document of this trigger is being processed: complete or abandon it"
            )
        elif is_in_doubt:
            erasure.leave(PLACE, trigger, "a document of this trigger is in doubt: resubmit or settle it")
        elif not erasure.attempt_step(partial(_erase_document, erasure, trigger)):
            erasure.leave(
                PLACE, trigger, "a document of this trigger is locked or has changed: run this again"
            )


def _erase_document(erasure: Erasure, trigger: str) -> None:
    values = {"key": erasure.key.value, "trigger": trigger}
    with erasure.step() as erased:
        entries = statements.fetch_rows("erase_history", values)
        erased.add(PLACE, [[trigger_id, time.isoformat()] for trigger_id, time in entries])
        ours = "trigger_id = %(trigger)s AND {} = %(key)s"
        uuid, identifier = ours.format("document_uuid"), ours.format("identifier")
        erased.add("document_content", delete_rows("document_content", "trigger_id", uuid, values))
        decided = f"{identifier} AND NOT (state = 'open' OR state = 'resubmitted' AND taken_at IS NULL)"
        in_doubt = delete_rows("document_in_doubt", "in_doubt_id", decided, values)
        erased.add("document_in_doubt", in_doubt)
        forget_items(erased, PLACE, list(map(str, in_doubt)))
        erased.add("document_outcome", delete_rows("document_outcome", "outcome_id", identifier, values))
        if statements.fetch_rows("found_documents", values | {"triggers": [trigger]}):
            raise Changed


def _read_document_values(rows: Sequence[object]) -> Values:
    entries = [row for row in rows if isinstance(row, list) and len(row) == 2]
    triggers, times = zip(*entries, strict=True) if entries else ((), ())
    return ids_of("values_of_documents", {"triggers": list(triggers), "times": list(times)})


READERS = {
    "document_history": _read_document_values,
    "document_in_doubt": reader_of_column(DocumentInDoubt, "pk", "identifier"),
    "document_outcome": reader_of_column(DocumentOutcome, "pk", "identifier"),
}
