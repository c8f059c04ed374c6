"""
The changes that a resend job would make to some payloads of its set, within the time of a preview.

The dry run of a job counts all of them.
"""

from collections.abc import Mapping, Sequence

from django.db.models.functions import Length

from messages_app.jobs.preview.deadline import Deadline
from messages_app.messages.models import Message
from messages_app.shared.change_counts import ChangeCounts
from messages_app.shared.job_records import ChangesReport, SetReport
from messages_app.shared.replacements import Replacement

# Payloads that are read, and the characters of each and of all.
MAX_PAYLOADS = 200
_MAX_CHARACTERS = 100_000
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
    for msg_id, payload in deadline.run_within(lambda: read_payloads(msg_ids)) or ():
        counts.add_correction(msg_id, replacement.correct_payload(payload))
        if deadline.left_ms() < _ENOUGH_MS:
            break
    return counts.as_report() if counts.looked_at else None


def narrow_to_changes(report: SetReport) -> SetReport:
    """Return the report of a preview, without messages whose payload would not change, if it has changes."""
    changes = report.get("changes")
    if not changes:
        return report
    looked_at, changed = changes["looked_at"], changes["changed"]
    most = report["to_do_between"][1] - (looked_at - changed)
    about = round(report["to_do"] * changed / looked_at)
    if looked_at >= report["to_do_between"][1]:
        report |= {"skipped": report["skipped"] | changes["refused"]}
        most = about = changed
    return report | {"to_do": about, "to_do_between": (changed, most)}


def read_payloads(msg_ids: Sequence[int]) -> list[tuple[int, str]]:
    """Return the first of these messages with their payloads, except very long ones."""
    rows = Message.objects.filter(pk__in=sorted(msg_ids)[:MAX_PAYLOADS]).order_by("pk")
    return list(
        rows.alias(size=Length("payload")).filter(size__lte=_MAX_CHARACTERS).values_list("msg_id", "payload")
    )
