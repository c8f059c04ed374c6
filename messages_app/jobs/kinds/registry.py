"""The kinds of jobs that can be run: the one list of them."""

from messages_app.jobs.kinds.archiving import Archiving
from messages_app.jobs.kinds.exporting import Exporting
from messages_app.jobs.kinds.grouping import GroupingFailures
from messages_app.jobs.kinds.history import ArchivingHistory
from messages_app.jobs.kinds.kind import Kind
from messages_app.jobs.kinds.reprocessing import Reprocessing
from messages_app.jobs.kinds.restoring import Restoring
from messages_app.jobs.kinds.transitions import Transitions
from messages_app.jobs.states import JobKind
from messages_app.messages.states import MessageAction

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
