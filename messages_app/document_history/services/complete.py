"""
Completing a document, by the holder of its token.

"Completed" means that the service ended, successfully or not: later copies are Duplicates.
Source: docs/spec/document_history.md, "Entries", "Retention"; docs/spec/promises.md, I-40, I-41.
"""

import time as clock
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn, TypedDict

from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.errors import (
    DocumentConflict,
    DocumentNotFound,
    HistoryUnavailable,
    LeaseLost,
    asking_history,
)
from messages_app.document_history.states import EntryStatus, InDoubtState
from messages_app.document_history.tokens import start_of

statements = Statements("messages_app.document_history")


@dataclass(frozen=True, kw_only=True)
class Completed:
    """
    A completed document.

    Args:
        time: when its processing began, which both entries have; no end is stored.
    """

    trigger_id: str
    uuid: str
    time: datetime


def complete(*, trigger_id: str, uuid: str, token: str) -> Completed:
    """
    Write the completed entry, with the time of the processing entry; a repeat has the same answer.

    If the sweep was faster, the completed entry is alone, and later copies are Duplicates until it is swept
    too
    (docs/spec/document_history.md, "Hard cases" case 13).

    Raises:
        DocumentNotFound: no token of it, and no entry.
        LeaseLost: the token is not of this document, or its processing was started again.
        DocumentConflict: someone settled it as a duplicate meanwhile.
        HistoryUnavailable: nothing is known; call again.
    """
    values = _values(trigger_id, uuid, token)
    with asking_history():
        row = statements.row("complete", values)
    if row is None:
        _refuse_overtaken(values)
    return Completed(**values)


def complete_patiently(*, trigger_id: str, uuid: str, token: str, tries: int = 3, pause: float = 0.5) -> bool:
    """
    Complete a document whose service has run; return False where the history could not be reached.

    The caller acknowledges it anyway and raises an alarm: its lone processing entry makes any copy In Doubt,
    which is safe, and not to acknowledge would only produce another (docs/spec/document_history.md,
    "History not available").

    Args:
        pause: seconds before the second attempt; doubled before each further one.

    Raises: as complete, but for HistoryUnavailable.
    """
    for number in range(tries):
        try:
            complete(trigger_id=trigger_id, uuid=uuid, token=token)
        except HistoryUnavailable:
            if number + 1 < tries:
                clock.sleep(pause * 2**number)
        else:
            return True
    return False


def abandon(*, trigger_id: str, uuid: str, token: str) -> bool:
    """
    Withdraw the processing entry of a document that returns to its queue; return whether it had one.

    A trigger that suspends and retries later rolls the document back after its last attempt; left where it
    is, the entry would put it in doubt when it comes again (docs/spec/document_history.md, "Entries").

    Raises: as complete, but for DocumentConflict.
    """
    with asking_history():
        return statements.count("abandon", _values(trigger_id, uuid, token)) == 1


class _Values(TypedDict):
    """A document and the start that its token names, as statements take them."""

    trigger_id: str
    uuid: str
    time: datetime


def _values(trigger_id: str, uuid: str, token: str) -> _Values:
    time = start_of(token, trigger_id, uuid)
    if time is None:
        _refuse_foreign(trigger_id, uuid)
    return {"trigger_id": trigger_id, "uuid": uuid, "time": time}


def _refuse_foreign(trigger_id: str, uuid: str) -> NoReturn:
    with asking_history():
        found = statements.rows("entries", {"trigger_id": trigger_id, "uuid": uuid})
    if not found:
        raise DocumentNotFound("The history has no entry for this document. Check it first.")
    raise LeaseLost("The token does not belong to this document.")


def _refuse_overtaken(values: _Values) -> None:
    """Raise why nothing was written, unless it was written before by the same token."""
    with asking_history():
        asked = {"trigger_id": values["trigger_id"], "uuid": values["uuid"]}
        times: dict[str, datetime] = dict(statements.rows("entries", asked))
        was_settled = DocumentInDoubt.objects.filter(
            trigger_id=values["trigger_id"],
            document_uuid=values["uuid"],
            state=InDoubtState.SETTLED,
            decided_start=values["time"],
        ).exists()
    if was_settled:
        raise DocumentConflict("An operator settled the document as a duplicate.", current_state="settled")
    if times.get(EntryStatus.COMPLETED) != values["time"]:
        raise LeaseLost("Processing of the document was started again. Only that process may complete it.")
