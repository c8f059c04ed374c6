"""Django looks for models here; each room keeps its own."""

from messages_app.access.models import ApiToken, IdempotencyKey
from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal, LedgerRow
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

__all__ = [
    "ApiToken",
    "ArchiveExternalCall",
    "ArchiveFunnel",
    "ArchiveMessage",
    "ArchiveRequest",
    "ArchiveResponse",
    "AuditEntry",
    "ExternalCall",
    "Funnel",
    "IdempotencyKey",
    "Job",
    "JobChunk",
    "JobItem",
    "JobRefusal",
    "LedgerRow",
    "ListPreference",
    "Message",
    "MessageEvent",
    "Request",
    "Response",
    "SavedView",
]
