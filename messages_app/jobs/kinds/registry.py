"""The kinds of jobs that can be run: the one list of them."""

from messages_app.jobs.kinds.archive import Archiving
from messages_app.jobs.kinds.archive_history import ArchivingHistory
from messages_app.jobs.kinds.export import Exporting
from messages_app.jobs.kinds.group_failures import GroupingFailures
from messages_app.jobs.kinds.kind import Kind
from messages_app.jobs.kinds.reprocess import Reprocessing
from messages_app.jobs.kinds.restore import Restoring
from messages_app.jobs.kinds.transitions import Transitions
from messages_app.shared.job_states import JobKind
from messages_app.shared.message_states import MessageAction

KINDS: dict[str, Kind] = {
    JobKind.ARCHIVE: Archiving(),
    JobKind.RESTORE: Restoring(),
    JobKind.RESTART: Transitions(MessageAction.RESTART),
    JobKind.CANCEL: Transitions(MessageAction.CANCEL),
    JobKind.EXPORT: Exporting(),
    JobKind.ARCHIVE_HISTORY: ArchivingHistory(),
    JobKind.REPROCESS: Reprocessing(),
    JobKind.GROUP_FAILURES: GroupingFailures(),
}
