"""
Changing the monitor's settings, and giving them back to the environment.

Source: spec/other-systems.md 2.9.
"""

from collections.abc import Mapping

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.message_store.limits import RANGES, limits, set_here
from messages_app.message_store.monitoring.models import StoreSetting
from messages_app.message_store.monitoring.scanning import scan_every
from messages_app.message_store.refusals import InvalidInput


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
