"""Export files with rows of the subject: the complete files are removed, and their jobs show it."""

from collections.abc import Collection, Sequence

from messages_app.core.statements import Statements
from messages_app.erasure.run import Erasure
from messages_app.jobs.exports import export_storage, folder_of
from messages_app.jobs.kinds.registry import file_kinds
from messages_app.shared.job_states import FINAL_STATES as ENDED_STATES

statements = Statements("messages_app.erasure")


export_statements = Statements("messages_app.jobs")
PLACE = "export"


def exports_of(msg_ids: Collection[int]) -> list[tuple[int, int, str]]:
    """Return (message, job, the job's state) of exports that have one of the messages."""
    return statements.fetch_rows("exports_of", {"ids": list(msg_ids), "file_kinds": file_kinds()})


def remove_exports(erasure: Erasure, msg_ids: Sequence[int]) -> None:
    """Remove the files of ended exports that have one of the messages. Exports in progress are reported."""
    for job_id, state in sorted({(job_id, state) for _, job_id, state in exports_of(msg_ids)}):
        if state in ENDED_STATES:
            _remove_export(erasure, job_id)
        else:
            erasure.leave(PLACE, job_id, "it has rows of the subject: wait for that job, or stop it")


def _remove_export(erasure: Erasure, job_id: int) -> None:
    with erasure.step() as erased:
        if export_statements.fetch_row("note_export_removal", {"job_id": job_id}) is None:
            return
        erased.add(PLACE, [job_id])
        if not erasure.dry_run:
            # Before the commit, because after it no row refers to them.
            export_storage().remove_folder(folder_of(job_id))
