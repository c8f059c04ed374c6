"""
All writes to the document history: checks, completions, documents in doubt, sweeps and triggers.

Source: docs/contributing/spec/document_history.md; docs/contributing/spec/interfaces.md, "Document history";
docs/contributing/spec/promises.md, I-37 to I-44.
"""

from messages_app.document_history.services.check import check_document, check_many
from messages_app.document_history.services.complete import (
    Completed,
    Completion,
    abandon_document,
    complete_document,
    complete_many,
    complete_patiently,
)
from messages_app.document_history.services.delivery import Checked, Delivered
from messages_app.document_history.services.errors import (
    CannotDecide,
    ContentConflict,
    DocumentConflict,
    DocumentNotFound,
    HistoryUnavailable,
    InDoubtNotFound,
    InvalidTrigger,
    LeaseLost,
    TriggerNotFound,
    TriggerSuspended,
)
from messages_app.document_history.services.in_doubt import (
    Resubmitted,
    resubmit_document,
    settle_document,
    take_one,
    take_resubmitted,
)
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import (
    change_trigger,
    clear_statistics,
    create_trigger,
    delete_trigger,
    resume_trigger,
    suspend_trigger,
)

__all__ = [
    "CannotDecide",
    "Checked",
    "Completed",
    "Completion",
    "ContentConflict",
    "Delivered",
    "DocumentConflict",
    "DocumentNotFound",
    "HistoryUnavailable",
    "InDoubtNotFound",
    "InvalidTrigger",
    "LeaseLost",
    "Resubmitted",
    "TriggerNotFound",
    "TriggerSuspended",
    "abandon_document",
    "change_trigger",
    "check_document",
    "check_many",
    "clear_statistics",
    "complete_document",
    "complete_many",
    "complete_patiently",
    "create_trigger",
    "delete_trigger",
    "resubmit_document",
    "resume_trigger",
    "settle_document",
    "suspend_trigger",
    "sweep_entries",
    "take_one",
    "take_resubmitted",
]
