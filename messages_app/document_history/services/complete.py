"""
Completes a document, by the holder of its token.

"Completed" means that the service ended, successfully or not: later copies are Duplicates. Source:
docs/contributing/spec/document_history.md, "Entries", "Retention"; docs/contributing/spec/promises.md, I-40,
I-41.
"""

import time as clock
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import NoReturn, TypedDict

from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.errors import (
    DocumentConflict,
    DocumentNotFound,
    HistoryUnavailable,
    LeaseLost,
    answer_each,
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
        time: the start of its processing, which both entries have; the end is not stored.
    """

    trigger_id: str
    uuid: str
    time: datetime


def complete_document(*, trigger_id: str, uuid: str, token: str) -> Completed:
    """
    Write the completed entry, with the time of the processing entry. A repeat returns the same answer.

    If a sweep has already removed the processing entry, only the completed one exists, and later copies are
    Duplicates until it is swept too (docs/contributing/spec/document_history.md, "Hard cases" case 13).

    Raises:
        DocumentNotFound: it has neither an entry nor this token.
        LeaseLost: the token belongs to another document, or processing was started again.
        DocumentConflict: an operator settled it as a duplicate meanwhile.
        HistoryUnavailable: the outcome is unknown; call again.
    """
    completed = _read_token(trigger_id, uuid, token)
    with asking_history():
        is_written = statements.count("complete", asdict(completed), prepare=True)
    if not is_written:
        _refuse_overtaken(completed)
    return completed


class Completion(TypedDict):
    """The arguments of `complete_document`."""

    trigger_id: str
    uuid: str
    token: str


def complete_many(completions: Sequence[Completion]) -> list[Completed | Exception]:
    """
    Complete many documents, like calls of `complete_document` one after the other; return their answers, in
    order. A document that could not be completed has its error as its answer; the others are completed.

    Raises:
        HistoryUnavailable: the outcome is unknown; call again.
    """
    written = _write_many(completions)
    # In the order of their keys, as the statement writes them.
    left = sorted(
        (place for place in range(len(completions)) if place not in written),
        key=lambda place: (completions[place]["trigger_id"], completions[place]["uuid"]),
    )

    def complete_place(place: int) -> Completed:
        return complete_document(**completions[place])

    answers = written | answer_each(left, complete_place, (DocumentNotFound, LeaseLost, DocumentConflict))
    return [answers[place] for place in range(len(completions))]


def _write_many(completions: Sequence[Completion]) -> dict[int, Completed]:
    """Complete the first of each document with a valid token by one statement; return those written."""
    first: dict[tuple[str, str], tuple[int, datetime]] = {}
    for place, one in enumerate(completions):
        time = start_of(one["token"], one["trigger_id"], one["uuid"])
        if time is not None:
            first.setdefault((one["trigger_id"], one["uuid"]), (place, time))
    values = {
        "trigger_ids": [trigger_id for trigger_id, _ in first],
        "uuids": [uuid for _, uuid in first],
        "times": [time for _, time in first.values()],
    }
    with asking_history():
        written = statements.fetch_rows("complete_many", values)
    done = [(*first[document], *document) for document in written]
    return {place: Completed(trigger_id=own, uuid=uuid, time=time) for place, time, own, uuid in done}


def complete_patiently(*, trigger_id: str, uuid: str, token: str, tries: int = 3, pause: float = 0.5) -> bool:
    """
    Complete a document whose service has run; return False if the history could not be reached.

    The caller acknowledges it anyway and raises an alarm. Its remaining processing entry puts any copy In
    Doubt, which is safe; not acknowledging it would only produce another copy
    (docs/contributing/spec/document_history.md, "History not available").

    Args:
        pause: seconds before the second attempt; doubled before each further one.

    Raises: as complete, except HistoryUnavailable.
    """
    for number in range(tries):
        try:
            complete_document(trigger_id=trigger_id, uuid=uuid, token=token)
        except HistoryUnavailable:
            if number + 1 < tries:
                clock.sleep(pause * 2**number)
        else:
            return True
    return False


def abandon_document(*, trigger_id: str, uuid: str, token: str) -> bool:
    """
    Withdraw the processing entry of a document that returns to its queue; return whether it had one.

    A trigger that suspends and retries later rolls the document back after its last attempt. If the entry
    stayed, the document would be in doubt when it is delivered again
    (docs/contributing/spec/document_history.md, "Entries").

    Raises: as complete, except DocumentConflict.
    """
    with asking_history():
        return statements.count("abandon", asdict(_read_token(trigger_id, uuid, token))) == 1


def _read_token(trigger_id: str, uuid: str, token: str) -> Completed:
    """Return the document with the start in its token."""
    time = start_of(token, trigger_id, uuid)
    if time is None:
        _refuse_foreign(trigger_id, uuid)
    return Completed(trigger_id=trigger_id, uuid=uuid, time=time)


def _refuse_foreign(trigger_id: str, uuid: str) -> NoReturn:
    with asking_history():
        entries = statements.fetch_rows("entries", {"trigger_id": trigger_id, "uuid": uuid})
    if not entries:
        raise DocumentNotFound("The history has no entry for this document. Check it first.")
    raise LeaseLost("The token does not belong to this document.")


def _refuse_overtaken(completed: Completed) -> None:
    """Raise the reason why nothing was written, unless the same token wrote it before."""
    with asking_history():
        times: dict[str, datetime] = dict(statements.fetch_rows("entries", asdict(completed)))
        was_settled = DocumentInDoubt.objects.filter(
            trigger_id=completed.trigger_id,
            document_uuid=completed.uuid,
            state=InDoubtState.SETTLED,
            decided_start=completed.time,
        ).exists()
    if was_settled:
        raise DocumentConflict("An operator settled the document as a duplicate.", current_state="settled")
    if times.get(EntryStatus.COMPLETED) != completed.time:
        raise LeaseLost("Processing of the document was started again. Only that process may complete it.")
