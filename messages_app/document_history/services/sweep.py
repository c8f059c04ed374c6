"""
Removes entries past their trigger's time to live, in batches of one short transaction each.

A check waits only for the batch that removes its own document's expired entries, which takes a few
milliseconds.

Source: docs/contributing/spec/document_history.md, "Retention".
"""

import time as clock
from collections import Counter
from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from messages_app.audit.services import SYSTEM, Actor, record_entry
from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentSweep, DocumentTrigger

statements = Statements("messages_app.document_history")


BATCH = 1_000
OUTCOME_DAYS = 30
_SWEEP_DAYS = 30


def sweep_entries(
    *, actor: Actor = SYSTEM, reason: str = "", batch: int = BATCH, seconds: float | None = None
) -> DocumentSweep:
    """
    Remove expired entries of all triggers, including deleted ones and those without history, by each
    trigger's current time to live. An entry expires that time after its start, by the database's clock.

    Call it outside a transaction, because each batch commits. Entries of unknown triggers are kept.

    Args:
        batch: number of documents whose entries are removed at a time.
        seconds: stop after this time; the next run continues.
        reason: of a person who started the run; the scheduler's own runs are not in the audit log.
    """
    run = _begin_sweep(actor, reason)
    removed: Counter[str] = Counter()
    error = ""
    try:
        end = None if seconds is None else clock.monotonic() + seconds
        _remove_all(removed, batch, end)
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"[:1000]
        raise
    finally:
        _note_end(run, removed, error)
    run.refresh_from_db()
    return run


def _begin_sweep(actor: Actor, reason: str) -> DocumentSweep:
    with transaction.atomic():
        run = DocumentSweep.objects.create(actor=actor.username)
        if actor is not SYSTEM:
            record_entry(actor=actor, action="sweep_documents", reason=reason, details={"sweep_id": run.pk})
    return run


def _note_end(run: DocumentSweep, removed: Counter[str], error: str) -> None:
    DocumentSweep.objects.filter(pk=run.pk).update(
        finished_at=Now(), removed=removed.total(), removed_by_trigger=dict(removed), error=error
    )


def _remove_all(removed: Counter[str], batch: int, end: float | None) -> None:
    for trigger_id, ttl_seconds in DocumentTrigger.objects.values_list("trigger_id", "history_ttl_seconds"):
        values = {"trigger_id": trigger_id, "ttl_seconds": ttl_seconds, "limit": batch}
        while (end is None or clock.monotonic() < end) and (
            gone := statements.count("remove_expired", values)
        ):
            removed[trigger_id] += gone
        while (end is None or clock.monotonic() < end) and statements.count("forget_contents", values):
            pass
    while (end is None or clock.monotonic() < end) and statements.count(
        "forget_outcomes", {"days": OUTCOME_DAYS, "limit": batch}
    ):
        pass
    DocumentSweep.objects.filter(started_at__lt=Now() - timedelta(days=_SWEEP_DAYS)).delete()


# Repairs the list of open documents after its triggers missed changes. Source:
# docs/contributing/decisions/0023-triggers-never-fail-the-hub.md.
def rebuild_open_documents(**_: object) -> str:
    """Repair the list of open documents; return how many were wrong."""
    return f"{mend_open()} open documents were missing or wrong."


@transaction.atomic
def mend_open() -> int:
    """Add missing documents to the list, remove wrong ones, and return the number of both."""
    return statements.count("add_open", {}) + statements.count("remove_not_open", {})
