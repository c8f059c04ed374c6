"""
The changes that a resend job would make to some payloads of its set, within the time of a preview.

The dry run of a job counts all of them.
"""

from collections.abc import Mapping, Sequence

from django.db.models import Case, F, Func, IntegerField, When

from messages_app.jobs.preview.deadline import Deadline
from messages_app.messages.models import Message
from messages_app.shared.change_counts import ChangeCounts
from messages_app.shared.corrected_payloads import MAX_EDITED_BYTES
from messages_app.shared.job_records import ChangesReport, SetReport
from messages_app.shared.job_states import SkipReason
from messages_app.shared.replacements import Correction, Replacement

# Payloads that are read, and the bytes of each.
MAX_PAYLOADS = 200
_MAX_BYTES = 100_000
# The size of a stored text, which PostgreSQL knows without reading it.
_SIZE = Func(F("payload"), function="octet_length", output_field=IntegerField())
# With less time left, the rest is not read.
_ENOUGH_MS = 200


def replacement_of(options: Mapping[str, object]) -> Replacement:
    """Return what the options of a job replace."""
    texts = {name: str(options.get(name) or "") for name in ("find", "replace", "path", "value")}
    return Replacement(**texts)


def preview_changes(
    options: Mapping[str, object], msg_ids: Sequence[int], deadline: Deadline
) -> ChangesReport | None:
    """Return the changes to the first of these messages; None if they are not read in time."""
    counts, replacement = ChangeCounts(), replacement_of(options)
    if replacement.is_empty:
        return None
    for msg_id, payload in deadline.run_within(lambda: _read_payloads(msg_ids)) or ():
        too_large = Correction(None, SkipReason.TOO_LARGE)
        correction = too_large if payload is None else replacement.correct_payload(payload)
        counts.add_correction(msg_id, correction)
        if deadline.left_ms() < _ENOUGH_MS:
            break
    return counts.as_report() if counts.looked_at else None


def narrow_to_changes(report: SetReport) -> SetReport:
    """Return the report of a preview, without messages whose payload would not change, if it has changes."""
    changes = report.get("changes")
    if not changes:
        return report
    looked_at, changed = changes["looked_at"], changes["changed"]
    if not changed:
        report |= {"samples": []}
    most = report["to_do_between"][1] - (looked_at - changed)
    about = round(report["to_do"] * changed / looked_at)
    if looked_at >= report["to_do_between"][1]:
        report |= {"skipped": report["skipped"] | changes["refused"]}
        most = about = changed
    return report | {"to_do": about, "to_do_between": (changed, most)}


def leave_out_skipped(changes: ChangesReport | None, skipped: Mapping[str, int]) -> ChangesReport | None:
    """Return changes without the refusals that the report already counts as skipped."""
    if not changes:
        return None
    refused = {name: count for name, count in changes["refused"].items() if name not in skipped}
    return {**changes, "refused": refused}


def read_payloads(msg_ids: Sequence[int]) -> list[tuple[int, str]]:
    """Return the first of these messages with their payloads, except very long ones."""
    return [(msg_id, payload) for msg_id, payload in _read_payloads(msg_ids) if payload is not None]


def _read_payloads(msg_ids: Sequence[int]) -> list[tuple[int, str | None]]:
    """
    Return the first of these messages with their payloads: None if one is too large to be corrected.
    Very long ones are left out, because the preview has no time for them.
    """
    rows = Message.objects.filter(pk__in=sorted(msg_ids)[:MAX_PAYLOADS]).order_by("pk").annotate(size=_SIZE)
    rows = rows.exclude(size__gt=_MAX_BYTES, size__lte=MAX_EDITED_BYTES)
    return list(rows.values_list("msg_id", Case(When(size__lte=_MAX_BYTES, then=F("payload")))))
