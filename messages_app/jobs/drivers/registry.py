"""The registry of drivers, by kind of job."""

from messages_app.jobs.drivers.archive import Archiving, Restoring
from messages_app.jobs.drivers.driver import Driver
from messages_app.jobs.drivers.export import Exporting
from messages_app.jobs.drivers.group_failures import GroupingFailures
from messages_app.jobs.drivers.reprocess import ArchivingHistory, Reprocessing
from messages_app.jobs.drivers.transitions import Transitions
from messages_app.shared.job_states import JobKind
from messages_app.shared.message_states import MessageAction

DRIVERS: dict[str, Driver] = {
    JobKind.ARCHIVE: Archiving(),
    JobKind.RESTORE: Restoring(),
    JobKind.RESTART: Transitions(MessageAction.RESTART),
    JobKind.CANCEL: Transitions(MessageAction.CANCEL),
    JobKind.EXPORT: Exporting(),
    JobKind.ARCHIVE_HISTORY: ArchivingHistory(),
    JobKind.REPROCESS: Reprocessing(),
    JobKind.GROUP_FAILURES: GroupingFailures(),
}
