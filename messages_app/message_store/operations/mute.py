"""
Letting a message be as it is, and taking that back.

The vendor has no status for it, and theirs is not given one: a mark of ours says that no one needs to look
after the message. The monitor passes it by, errors and what waits are told without it, and a bulk reprocess
leaves it unless its filter asks for it. It ends with `unmute`, and whenever the message moves on: an operator
reprocesses it or tries it now, or a hub's own worker takes it.

Source: docs/spec/message_store.md, "Operator actions".
"""

from collections.abc import Mapping

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.message_store.errors import InvalidInput, MessageMissing, StatusConflict
from messages_app.message_store.models import MessageLine
from messages_app.message_store.monitor_models import StoreSetting
from messages_app.message_store.monitoring.queue import scan_every
from messages_app.message_store.settings import RANGES, limits, set_here
from messages_app.shared.store_states import NEVER_MUTED, may_mute, name_of

statements = Statements("messages_app.message_store")


_WORDS = {"mute": "is already muted", "unmute": "is not muted"}


def mute(*, identifier: str, actor: audit.Actor, reason: str, expected: int | None = None) -> None:
    """
    Let a message be as it is: one that waits, that failed, or whose code no one knows.

    Args:
        expected: the status that the caller saw.

    Raises:
        MessageMissing.
        StatusConflict: it is in work, processed, of another status than expected, or muted already.
    """
    _mark("mute", identifier, actor, reason, expected, never=[int(status) for status in NEVER_MUTED])


def unmute(*, identifier: str, actor: audit.Actor, reason: str, expected: int | None = None) -> None:
    """
    Have a muted message looked after again: the monitor takes it when its turn comes.

    Raises:
        MessageMissing.
        StatusConflict: it is not muted, or of another status than expected.
    """
    _mark("unmute", identifier, actor, reason, expected)


def _mark(
    name: str, identifier: str, actor: audit.Actor, reason: str, expected: int | None, **values: object
) -> None:
    with transaction.atomic():
        row = statements.row(name, {"identifier": identifier, "expected": expected} | values)
        if row is None:
            raise _refusal(name, identifier, expected)
        audit.record(
            actor=actor,
            action=f"{name}_stored",
            subject_kind="store_message",
            subject=identifier,
            before_state=str(row[0]),
            after_state=str(row[0]),
            reason=reason,
        )


def _refusal(name: str, identifier: str, expected: int | None) -> StatusConflict | MessageMissing:
    line = MessageLine.objects.filter(message_identifier=identifier, status__isnull=False).first()
    if line is None:
        return MessageMissing(f"The store has no message {identifier}.")
    if expected is not None and line.status != expected:
        text = f"It is {name_of(line.status)}, not {name_of(expected)}."
        return StatusConflict(text, current=line.status, is_expected=True)
    if name == "mute" and not may_mute(line.status):
        return StatusConflict(
            f"A message that is {name_of(line.status)} cannot be muted.", current=line.status
        )
    return StatusConflict(f"It {_WORDS[name]}.", current=line.status)


# Changing the monitor's settings, and giving them back to the environment.
#
# Source: docs/spec/message_store.md, "Console".


def set_limits(*, values: Mapping[str, float], actor: audit.Actor, reason: str) -> None:
    """
    Set some of the monitor's settings, for every process, from its next attempt or scan on.

    Args:
        values: by the names of limits.RANGES.

    Raises:
        InvalidInput: a name is none of them, or a value is out of its range.
    """
    for name, value in values.items():
        least, most = RANGES.get(name, (None, None))
        if least is None or not least <= value <= most:
            raise InvalidInput(name, "out_of_range", f"{name} must be from {least} to {most}.")
    with transaction.atomic():
        before = set_here()
        rows = [StoreSetting(name=name, value=value) for name, value in values.items()]
        StoreSetting.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["name"], update_fields=["value"]
        )
        _finish(actor, before, reason)


def unset_limits(*, actor: audit.Actor, reason: str) -> None:
    """Let all settings be the environment's again."""
    with transaction.atomic():
        before = set_here()
        StoreSetting.objects.all().delete()
        _finish(actor, before, reason)


def _finish(actor: audit.Actor, before: Mapping[str, float], reason: str) -> None:
    """Tell the scheduler, where it is to scan more or less often, and the audit."""
    after = set_here()
    if after.get("interval") != before.get("interval"):
        scan_every(limits().interval)
    details = {"before": dict(before), "after": after}
    audit.record(actor=actor, action="set_store_monitor", reason=reason, details=details)
