"""Making, changing and deleting watch rules. Audited; every one checks what a rule says."""

import math
from collections.abc import Mapping
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from messages_app.audit import services as audit
from messages_app.core.pagination.keyset import Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page
from messages_app.core.problems import Problem, bad_field
from messages_app.core.statements import Statements
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.alerts.ssrf_guard import RefusedAddress
from messages_app.messages.alerts.states import OF_A_STATE, OF_A_WINDOW, Measure
from messages_app.messages.alerts.webhook import checked_address, masked_webhook
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.messages.alerts")


# Counts are kept this long by the hour at least, and for a day by the minute.
MAX_WINDOW = 7 * 24 * 60
_MAX_MAILS = 20


class RuleNotFound(Exception):
    """There is no such rule, or it is built in and was to be deleted."""


def create_rule(*, actor: audit.Actor, reason: str = "", **columns: object) -> WatchRule:
    """
    Store a rule.

    Args:
        columns: of WatchRule.

    Raises:
        Problem: 400 with the field at fault.
    """
    rule = WatchRule(**columns)
    check(rule)
    with transaction.atomic():
        _save(rule)
        _record("create_watch_rule", rule, actor, reason, columns)
    return rule


def change_rule(*, rule_id: int, actor: audit.Actor, reason: str = "", **columns: object) -> WatchRule:
    """
    Change a rule; switched off, its open alert closes, and no one is told.

    Raises:
        Problem: 400 with the field at fault.
        RuleNotFound: there is none of this id.
    """
    with transaction.atomic():
        rule = _locked(rule_id)
        for name, value in columns.items():
            setattr(rule, name, value)
        check(rule)
        _save(rule, update_fields=list(columns))
        if not rule.enabled:
            statements.row("close_alert", {"rule_id": rule.pk, "value": None})
        _record("change_watch_rule", rule, actor, reason, columns)
    return rule


def delete_rule(*, rule_id: int, actor: audit.Actor, reason: str = "") -> None:
    """
    Delete a rule with its alerts.

    Raises:
        RuleNotFound: there is none of this id, or it is built in: that can be switched off.
    """
    with transaction.atomic():
        rule = _locked(rule_id)
        if rule.is_built_in:
            raise RuleNotFound(f"{rule.name} is built in and cannot be deleted. Disable it instead.")
        _record("delete_watch_rule", rule, actor, reason, {})
        rule.delete()


def check(rule: WatchRule) -> None:
    """Raise Problem, 400 with the field at fault, unless the rule can be measured and told."""
    # It is the subject of mails: a line break in it would begin another header.
    if not rule.name.strip() or not rule.name.isprintable() or len(rule.name) > 100:
        raise bad_field("name", "invalid_value", "name must have 1 to 100 characters on one line.")
    if rule.measure not in set(Measure):
        raise bad_field("measure", "invalid_value", f"measure must be one of {', '.join(Measure)}.")
    if not isinstance(rule.limit, int | float) or not math.isfinite(rule.limit) or rule.limit < 0:
        raise bad_field("limit", "out_of_range", "limit must be 0 or greater.")
    _check_measure(rule)
    _check_targets(rule)


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
        if not 0 <= getattr(rule, name) <= 100_000_000:
            raise bad_field(name, "out_of_range", f"{name} must be 0 or greater.")


def _check_targets(rule: WatchRule) -> None:
    if len(rule.mail_to) > _MAX_MAILS:
        raise bad_field("mail_to", "too_many", f"mail_to may have at most {_MAX_MAILS} addresses.")
    for address in rule.mail_to:
        try:
            validate_email(address)
        except ValidationError:
            raise bad_field("mail_to", "invalid_value", "mail_to must be mail addresses.") from None
    if rule.webhook_url:
        try:
            checked_address(rule.webhook_url)
        except RefusedAddress as error:
            raise bad_field("webhook_url", "invalid_value", str(error)) from None


def _save(rule: WatchRule, **options: object) -> None:
    try:
        with transaction.atomic():
            rule.save(**options)
    except IntegrityError:
        raise _taken(rule) from None


def _taken(rule: WatchRule) -> Problem:
    return bad_field("name", "duplicate", f"A rule named {rule.name} already exists.")


def _locked(rule_id: int) -> WatchRule:
    rule = WatchRule.objects.select_for_update().filter(pk=rule_id).first()
    if rule is None:
        raise RuleNotFound(f"No watch rule has the id {rule_id}.")
    return rule


def _record(
    action: str, rule: WatchRule, actor: audit.Actor, reason: str, columns: Mapping[str, object]
) -> None:
    told = {
        name: value if isinstance(value, bool | int | float) else str(value)
        for name, value in columns.items()
    }
    if "webhook_url" in told:
        told["webhook_url"] = masked_webhook(rule.webhook_url)
    audit.record(
        actor=actor,
        action=action,
        subject_kind="watch_rule",
        subject=rule.pk,
        reason=reason,
        details={"rule": rule.name, **told},
    )


# What is watched, what is open, and what was: for pages, the first page, the handover and the API.


MOST = 200
_MOST_OF_RULE = 50

_NEWEST_FIRST = Order(column="alert_id", key="alert_id", descending=True)


def rules() -> QuerySet[WatchRule]:
    """Return the rules by name."""
    return WatchRule.objects.select_related("saved_view").order_by("name")[:MOST]


def rule_of(rule_id: int) -> WatchRule | None:
    return WatchRule.objects.select_related("saved_view").filter(pk=rule_id).first()


def open_alerts() -> QuerySet[Alert]:
    """Return the alerts that are open, the newest first; a rule has at most one."""
    return Alert.objects.filter(closed_at=None).select_related("rule").order_by("-alert_id")[:MOST]


def alert_page(*, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """Return one page of alerts, the newest first. Raises Problem: 400, the cursor is not a page's."""
    rows = Alert.objects.select_related("rule")
    return fetch_page(rows, order=_NEWEST_FIRST, cursor=cursor, page_size=page_size)


def alerts_of(rule_id: int) -> QuerySet[Alert]:
    """Return the newest alerts of a rule."""
    found = Alert.objects.filter(rule_id=rule_id).select_related("rule")
    return found.order_by("-alert_id")[:_MOST_OF_RULE]


def notices_of(rule_id: int) -> QuerySet[AlertNotice]:
    """Return the newest notices of a rule's alerts: who was told, who is to be, and what went wrong."""
    return AlertNotice.objects.filter(alert__rule_id=rule_id).order_by("-notice_id")[:_MOST_OF_RULE]


def alerts_since(since: datetime) -> list[Alert]:
    """Return what opened since a time, or is open still, the newest first."""
    found = Alert.objects.filter(Q(opened_at__gte=since) | Q(closed_at=None)).select_related("rule")
    return list(found.order_by("-alert_id")[:MOST])
