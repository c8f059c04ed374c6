"""The CP queue: messages of the object whose id is the key, and the log of their outcomes."""

from messages_app.core.statements import Statements
from messages_app.cp_queue.models import CpDispatch, CpMessage
from messages_app.cp_queue.selectors import queue_names
from messages_app.erasure.rows import delete_rows, reader_of_column
from messages_app.erasure.run import Changed, Erasure

statements = Statements("messages_app.erasure")


_MAX_QUEUES = 1_000_000
PLACE = "oscpmqueue"


def erase_subject(erasure: Erasure) -> None:
    """Erase free messages of the object with their log. Messages that a service holds stay."""
    if erasure.key.number is None:
        return
    messages = statements.fetch_rows(
        "found_cp_messages", {"queues": queue_names(most=_MAX_QUEUES), "osid": erasure.key.number}
    )
    for guid, is_held in messages:
        if is_held:
            erasure.leave(PLACE, guid, "a service holds it: wait for its dispatch, or reset it")
    free = [guid for guid, is_held in messages if not is_held]
    if not erasure.attempt_step(lambda: _erase_object(erasure, free)):
        erasure.leave(PLACE, erasure.key.number, "a service took messages of it meanwhile: run this again")


def _erase_object(erasure: Erasure, guids: list[str]) -> None:
    values = {"guids": guids, "osid": erasure.key.number}
    with erasure.step() as erased:
        ours = "messageguid = ANY (%(guids)s)"
        gone = delete_rows(PLACE, "messageguid", f"{ours} AND lock_service IS NULL", values)
        if len(gone) != len(guids):
            raise Changed
        erased.add(PLACE, gone)
        for table in ("cp_retry", "cp_reservation"):
            erased.add(table, delete_rows(table, "messageguid", ours, values))
        erased.add("cp_dispatch", delete_rows("cp_dispatch", "dispatch_id", "osid = %(osid)s", values))


READERS = {
    "oscpmqueue": reader_of_column(CpMessage, "messageguid", "osid"),
    "cp_dispatch": reader_of_column(CpDispatch, "pk", "osid"),
}
