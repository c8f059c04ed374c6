"""Files of exports that have rows of the subject: they go whole, and the job says so."""

from collections.abc import Collection, Sequence

from messages_app.erasing.sending import sender
from messages_app.erasing.work import Erasure
from messages_app.jobs.exports.places import folder_of
from messages_app.jobs.exports.sql import statement as export_statement
from messages_app.jobs.states import FINAL_STATES
from messages_app.sending import Sender
from spark_tasks.exporting.files import remove_folder

PLACE = "export"
_exports = Sender(export_statement)


def exports_of(msg_ids: Collection[int]) -> list[tuple[int, int, str]]:
    """Return (message, job, the job's state) of exports that have one of the messages."""
    return sender.rows_of("exports_of", {"ids": list(msg_ids)})


def remove_exports(erasure: Erasure, msg_ids: Sequence[int]) -> None:
    """Remove the files of ended exports that have one of the messages; one under way is told."""
    for job_id, state in sorted({(job_id, state) for _, job_id, state in exports_of(msg_ids)}):
        if state in FINAL_STATES:
            _remove(erasure, job_id)
        else:
            erasure.leave(PLACE, job_id, "it has rows of the subject: wait for that job, or stop it")


def _remove(erasure: Erasure, job_id: int) -> None:
    with erasure.step() as taken:
        if _exports.row_of("note_removal", {"job_id": job_id}) is None:
            return
        taken.add(PLACE, [job_id])
        if not erasure.dry_run:
            # Before the commit: after it nothing would lead to them any more.
            remove_folder(folder_of(job_id))
