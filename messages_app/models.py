"""Django looks for models here; each room keeps its own."""

from messages_app.access.models import ApiToken, IdempotencyKey
from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import (
    DocumentContent,
    DocumentHistory,
    DocumentInDoubt,
    DocumentOpen,
    DocumentOutcome,
    DocumentSweep,
    DocumentTrigger,
    HistoryLine,
)
from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal, LedgerRow
from messages_app.jobs.scheduling.models import JobSchedule
from messages_app.messages.cold.models import ColdFile, ColdMessage, ColdPart
from messages_app.messages.failing.models import (
    ErrorCode,
    FailureGroup,
    FailureMember,
    FailureMinute,
    NewFailure,
)
from messages_app.messages.keeping.models import ListPreference, SavedView
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Funnel,
    Message,
    MessageEvent,
    Request,
    Response,
)
from messages_app.messages.rollups.models import MessageChange, MessageRollup, RollupPass
from messages_app.messages.watching.models import Alert, AlertNotice, WatchRule

__all__ = [
    "Alert",
    "AlertNotice",
    "ApiToken",
    "ArchiveExternalCall",
    "ArchiveFunnel",
    "ArchiveMessage",
    "ArchiveRequest",
    "ArchiveResponse",
    "AuditEntry",
    "ColdFile",
    "ColdMessage",
    "ColdPart",
    "DocumentContent",
    "DocumentHistory",
    "DocumentInDoubt",
    "DocumentOpen",
    "DocumentOutcome",
    "DocumentSweep",
    "DocumentTrigger",
    "ErrorCode",
    "ExternalCall",
    "FailureGroup",
    "FailureMember",
    "FailureMinute",
    "Funnel",
    "HistoryLine",
    "IdempotencyKey",
    "Job",
    "JobChunk",
    "JobItem",
    "JobRefusal",
    "JobSchedule",
    "LedgerRow",
    "ListPreference",
    "Message",
    "MessageChange",
    "MessageEvent",
    "MessageRollup",
    "NewFailure",
    "Request",
    "Response",
    "RollupPass",
    "SavedView",
    "WatchRule",
]
