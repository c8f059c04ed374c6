"""
All writes to the document history: checks, completions, documents in doubt, sweeps and triggers.

Source: docs/contributing/spec/document_history.md; docs/contributing/spec/interfaces.md, "Document history";
docs/contributing/spec/promises.md, I-37 to I-44.
"""

from messages_app.document_history.services.check import check, check_many
from messages_app.document_history.services.complete import (
    Completed,
    Completion,
    abandon,
    complete,
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
    resubmit,
    settle,
    take_one,
    take_resubmitted,
)
from messages_app.document_history.services.sweep import sweep
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
    "abandon",
    "change_trigger",
    "check",
    "check_many",
    "clear_statistics",
    "complete",
    "complete_many",
    "complete_patiently",
    "create_trigger",
    "delete_trigger",
    "resubmit",
    "resume_trigger",
    "settle",
    "suspend_trigger",
    "sweep",
    "take_one",
    "take_resubmitted",
]
