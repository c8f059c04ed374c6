"""Creates, changes and deletes watch rules, with an audit entry for each."""

import math
from collections.abc import Mapping
from typing import TypedDict, Unpack
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from messages_app.access.target_tests import send_recorded_test
from messages_app.audit import services as audit
from messages_app.core.deliveries.formats import Target, check_target
from messages_app.core.deliveries.webhook_calls import check_address_field, mask_webhook
from messages_app.core.edit_versions import check_version, version_of
from messages_app.core.named_rows import audited_values, check_name, save_named_row
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.notices import target_of
from messages_app.messages.alerts.states import OF_A_STATE, OF_A_WINDOW, Measure
from messages_app.messages.listing.models import SavedView
from messages_app.shared.message_states import MessageState
from messages_app.shared.text_safety import MASK

statements = Statements("messages_app.messages.alerts")


# In minutes: 7 days. Counts by the hour exist at least this long; older counts are by the day.
MAX_WINDOW = 7 * 24 * 60


_MAX_ADDRESSES = 20


_MAX_NUMBER = 100_000_000


class RuleNotFound(Exception):
    """No rule has this id, the rule to delete is built in, or the one to test has no webhook."""


class RuleColumns(TypedDict, total=False):
    """The columns of a rule that users set."""

    name: str
    enabled: bool
    measure: str
    state: str
    service_name: str
    operation_name: str
    source_system: str
    failed_error_code: str
    saved_view: SavedView | None
    window_minutes: int
    older_than_seconds: int
    at_least: int
    limit: float
    quiet_minutes: int
    mail_to: list[str]
    webhook_url: str
    webhook_format: str
    webhook_key: str


SETTABLE = tuple(RuleColumns.__annotations__)
# The columns that are shown after they were set.
SHOWN = tuple(name for name in SETTABLE if name != "webhook_key")
_NAMES_OF_TARGET = {"url": "webhook_url", "format": "webhook_format", "key": "webhook_key"}


class RuleChanges(RuleColumns, total=False):
    """The columns to store, and the reason for the audit log."""

    reason: str


def create_rule(*, actor: audit.Actor, reason: str = "", **columns: Unpack[RuleColumns]) -> WatchRule:
    """
    Store a rule.

    Raises:
        Problem: 400, a column is invalid.
    """
    rule = WatchRule(**columns)
    _check_columns(rule)
    with transaction.atomic():
        save_named_row(rule, noun="rule")
        _record_change("create_watch_rule", rule, actor, reason, columns)
    return rule


def read_version(rule: WatchRule) -> str:
    """Return the version of a rule, for `change_rule`."""
    return version_of(rule, SETTABLE)


def change_rule(
    *,
    rule_id: int,
    actor: audit.Actor,
    reason: str = "",
    version: str | None = None,
    **columns: Unpack[RuleColumns],
) -> WatchRule:
    """
    Change a rule. Disabling it closes its open alert without a notice.

    Args:
        version: of the rule that the caller has seen; None: it is not compared.

    Raises:
        Problem: 400, a column is invalid.
        RuleNotFound: no rule has this id.
        EditConflict: it has another version.
    """
    with transaction.atomic():
        rule = _lock_rule(rule_id)
        check_version(version, read_version(rule))
        stored = target_of(rule)
        for name, value in columns.items():
            setattr(rule, name, value)
        if "webhook_key" not in columns and not _is_same_receiver(target_of(rule), stored):
            rule.webhook_key = ""
        _check_columns(rule)
        save_named_row(rule, noun="rule", update_fields=[*columns, "webhook_key"])
        if not rule.enabled:
            statements.fetch_row("close_alert", {"rule_id": rule.pk, "value": None})
        _record_change("change_watch_rule", rule, actor, reason, columns)
    return rule


def delete_rule(*, rule_id: int, actor: audit.Actor, reason: str = "") -> None:
    """
    Delete a rule with its alerts.

    Raises:
        RuleNotFound: no rule has this id, or the rule is built in, and can only be disabled.
    """
    with transaction.atomic():
        rule = _lock_rule(rule_id)
        if rule.is_built_in:
            raise RuleNotFound(f"{rule.name} is built in and cannot be deleted. Disable it instead.")
        _record_change("delete_watch_rule", rule, actor, reason, {})
        rule.delete()


def _check_columns(rule: WatchRule) -> None:
    """Raise Problem, 400, if the rule cannot be measured, or its notices cannot be sent."""
    check_name(rule.name)
    if rule.measure not in set(Measure):
        raise bad_field("measure", "invalid_value", f"measure must be one of {', '.join(Measure)}.")
    if not isinstance(rule.limit, int | float) or not math.isfinite(rule.limit) or rule.limit < 0:
        raise bad_field("limit", "out_of_range", "limit must be 0 or greater.")
    _check_measure(rule)
    _check_recipients(rule)


def _check_measure(rule: WatchRule) -> None:
    states = set(MessageState) - ({MessageState.OK} if rule.measure != Measure.ENTERED else set())
    if rule.measure in OF_A_STATE and rule.state not in states:
        raise bad_field("state", "invalid_value", f"state must be one of {', '.join(sorted(states))}.")
    if rule.measure == Measure.SAVED_VIEW and rule.saved_view is None:
        raise bad_field("saved_view", "required", "Choose the saved view whose messages are counted.")
    if rule.measure in OF_A_WINDOW and not 1 <= rule.window_minutes <= MAX_WINDOW:
        text = f"window_minutes must be from 1 to {MAX_WINDOW}."
        raise bad_field("window_minutes", "out_of_range", text)
    for name in ("older_than_seconds", "quiet_minutes", "at_least"):
        if not 0 <= getattr(rule, name) <= _MAX_NUMBER:
            raise bad_field(name, "out_of_range", f"{name} must be 0 or greater.")


def _check_recipients(rule: WatchRule) -> None:
    if len(rule.mail_to) > _MAX_ADDRESSES:
        raise bad_field("mail_to", "too_many", f"mail_to may have at most {_MAX_ADDRESSES} addresses.")
    for address in rule.mail_to:
        try:
            validate_email(address)
        except ValidationError:
            raise bad_field("mail_to", "invalid_value", "mail_to must be email addresses.") from None
    if rule.webhook_url:
        check_address_field("webhook_url", rule.webhook_url)
    check_target(target_of(rule), names=_NAMES_OF_TARGET)


def _is_same_receiver(target: Target, other: Target) -> bool:
    """Whether the key of one target may be sent to the other."""
    hosts = {urlsplit(one.url).netloc for one in (target, other)}
    return target.format == other.format and len(hosts) == 1


def send_test_of_rule(rule: WatchRule, *, actor: audit.Actor, reason: str = "") -> str:
    """
    Send a test to the webhook of a rule, and record it. Return why it was not sent; empty: it was.

    Raises:
        RuleNotFound: the rule has no webhook.
    """
    if not rule.webhook_url:
        raise RuleNotFound(f"The watch rule {rule.pk} has no webhook.")
    return send_recorded_test(
        target_of(rule),
        name=rule.name,
        actor=actor,
        action="test_watch_rule",
        subject_kind="watch_rule",
        subject=rule.pk,
        details={"rule": rule.name, "webhook_url": mask_webhook(rule.webhook_url)},
        reason=reason,
    )


def _lock_rule(rule_id: int) -> WatchRule:
    rule = WatchRule.objects.select_for_update().filter(pk=rule_id).first()
    if rule is None:
        raise RuleNotFound(f"No watch rule has the id {rule_id}.")
    return rule


def _record_change(
    action: str, rule: WatchRule, actor: audit.Actor, reason: str, columns: Mapping[str, object]
) -> None:
    details = audited_values(columns)
    if "webhook_url" in details:
        details["webhook_url"] = mask_webhook(rule.webhook_url)
    if details.get("webhook_key"):
        details["webhook_key"] = MASK
    audit.record_entry(
        actor=actor,
        action=action,
        subject_kind="watch_rule",
        subject=rule.pk,
        reason=reason,
        details={"rule": rule.name, **details},
    )
