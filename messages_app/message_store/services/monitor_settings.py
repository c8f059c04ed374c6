"""Changing the monitor's settings, and giving them back to the environment."""

from collections.abc import Mapping

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.message_store.errors import InvalidInput
from messages_app.message_store.monitor_models import StoreSetting
from messages_app.message_store.services.monitor import scan_every
from messages_app.message_store.settings import RANGES, changed_settings, current_limits


def set_limits(*, values: Mapping[str, float], actor: audit.Actor, reason: str) -> None:
    """
    Set some of the monitor's settings, for every process, from its next attempt or scan on.

    Args:
        values: by the names of settings.RANGES.

    Raises:
        InvalidInput: a name is unknown, or a value is out of its range.
    """
    for name, value in values.items():
        if name not in RANGES:
            raise InvalidInput(name, "out_of_range", f"There is no setting {name}.")
        least, most = RANGES[name]
        if not least <= value <= most:
            raise InvalidInput(name, "out_of_range", f"{name} must be from {least} to {most}.")
    with transaction.atomic():
        before = changed_settings()
        rows = [StoreSetting(name=name, value=value) for name, value in values.items()]
        StoreSetting.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["name"], update_fields=["value"]
        )
        _finish_change(actor, before, reason)


def unset_limits(*, actor: audit.Actor, reason: str) -> None:
    """Reset all settings to the environment's."""
    with transaction.atomic():
        before = changed_settings()
        StoreSetting.objects.all().delete()
        _finish_change(actor, before, reason)


def _finish_change(actor: audit.Actor, before: Mapping[str, float], reason: str) -> None:
    """Update the scheduler if the interval has changed, and write the audit entry."""
    after = changed_settings()
    if after.get("interval") != before.get("interval"):
        scan_every(current_limits().interval)
    details = {"before": dict(before), "after": after}
    audit.record_entry(actor=actor, action="set_store_monitor", reason=reason, details=details)
