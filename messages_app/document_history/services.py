"""
Every write to the document history: checks, completions, what is in doubt, sweeps, triggers.

Source: spec/other-systems.md 1; spec/interfaces.md 7; reliability I-37 to I-44.
"""

from messages_app.document_history.changing.checking import check
from messages_app.document_history.changing.completing import (
    Completed,
    abandon,
    complete,
    complete_patiently,
)
from messages_app.document_history.changing.delivered import Checked
from messages_app.document_history.changing.refusals import (
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
from messages_app.document_history.changing.settling import resubmit, settle
from messages_app.document_history.changing.suspending import resume_trigger, suspend_trigger
from messages_app.document_history.changing.sweeping import sweep
from messages_app.document_history.changing.taking import Resubmitted, take_one, take_resubmitted
from messages_app.document_history.changing.triggers import (
    change_trigger,
    clear_statistics,
    create_trigger,
    delete_trigger,
)

__all__ = [
    "CannotDecide",
    "Checked",
    "Completed",
    "ContentConflict",
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
    "clear_statistics",
    "complete",
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
