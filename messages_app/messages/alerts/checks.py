"""
Checks watch rules: opens an alert when a rule is above its limit, and closes it when it no longer is. Each
happens once, however many processes check at the same time.

The process whose statement opens or closes the alert writes the notices, in the same transaction.
"""

import logging
from datetime import datetime

from django.db import OperationalError, connection, transaction
from django.http import QueryDict
from django.utils import timezone

from messages_app.core.clock import time_limit, was_too_slow
from messages_app.core.problems import Problem
from messages_app.core.statements import Statements
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.alerts.states import Channel, Measure, Turn
from messages_app.messages.filters import vocabulary
from messages_app.messages.filters.branches import split_into_querysets

statements = Statements("messages_app.messages.alerts")
logger = logging.getLogger(__name__)


# Measuring.

# Counting a saved view is a search of the list, and one task checks all rules in turn.
_MAX_VIEW_MS = 2_000

_CONDITIONS = ("state", "service_name", "operation_name", "source_system", "failed_error_code")
_COLUMNS = (*_CONDITIONS, "window_minutes", "older_than_seconds", "at_least")


class CannotMeasure(Exception):
    """A rule cannot be measured. The text says why, in a sentence."""


def measure_rule(rule: WatchRule) -> float:
    """
    Return the current value of a rule. A saved view is counted only to just above the limit.

    Raises:
        CannotMeasure: the saved view was deleted, is not valid any more, or takes too long to count.
    """
    if rule.measure == Measure.SAVED_VIEW:
        return _count_view(rule)
    values = {name: getattr(rule, name) for name in _COLUMNS}
    (value,) = statements.only_row(f"measure_{Measure(rule.measure)}", values)
    return float(value)


def _count_view(rule: WatchRule) -> float:
    if rule.saved_view is None:
        raise CannotMeasure("Its saved view was deleted.")
    most = int(rule.limit) + 1
    try:
        params = QueryDict(rule.saved_view.query)
        filters = vocabulary.read_filter(params, user=rule.saved_view.owner, now=timezone.now())
        with time_limit(_MAX_VIEW_MS):
            return float(sum(rows.order_by()[:most].count() for rows in split_into_querysets(filters)))
    except Problem as problem:
        raise CannotMeasure(f"Its saved view is no longer a valid filter: {problem.detail}") from None
    except OperationalError as error:
        if was_too_slow(error):
            raise CannotMeasure("Its saved view takes too long to count.") from None
        raise


# Since when the condition of an open alert holds. A new rule, or a console that was stopped, opens its alert
# much later.


def holds_since(alert: Alert) -> datetime:
    """Return the time since which the condition of the alert's rule holds; if unknown, when it opened."""
    rule = alert.rule
    if rule.measure not in {Measure.PRESENT, Measure.AGE}:
        return alert.opened_at
    is_age = rule.measure == Measure.AGE
    values = {
        **{name: getattr(rule, name) for name in _CONDITIONS},
        # The age of a state exceeds the limit as soon as one message is that old.
        "limit": 0 if is_age else rule.limit,
        "wait": rule.limit if is_age else rule.older_than_seconds,
    }
    (since,) = statements.only_row("holds_since", values)
    return min(since or alert.opened_at, alert.opened_at)


# Opening and closing alerts.


def check_rules() -> None:
    """Check all enabled rules. A rule whose check fails does not keep the others from being checked."""
    # The worker's database role cannot read passwords.
    rules = WatchRule.objects.select_related("saved_view__owner").defer("saved_view__owner__password")
    for rule in rules.filter(enabled=True):
        try:
            check_rule(rule)
        except Exception:
            logger.exception("The watch rule %s could not be checked.", rule.pk)
            connection.close_if_unusable_or_obsolete()


def check_rule(rule: WatchRule) -> None:
    """Measure a rule, and open or close its alert. If the measurement fails, the alert stays as it is."""
    try:
        value = measure_rule(rule)
    except CannotMeasure as error:
        statements.count("record_check", {"rule_id": rule.pk, "value": None, "error": str(error)[:300]})
        return
    current: dict[str, object] = {"rule_id": rule.pk, "value": value}
    with transaction.atomic():
        statements.count("record_check", current | {"error": ""})
        if value <= rule.limit:
            _close_alert(rule, current)
        elif not statements.count("update_open_alert", current):
            _open_alert(rule, current)


def _open_alert(rule: WatchRule, current: dict[str, object]) -> None:
    opened = statements.row("open_alert", current)
    if opened is None:
        return
    alert_id, is_quiet = opened
    if not is_quiet:
        statements.count("start_quiet_time", {"rule_id": rule.pk})
        _write_notices(rule, alert_id, Turn.OPENED)


def _close_alert(rule: WatchRule, current: dict[str, object]) -> None:
    closed = statements.row("close_alert", current)
    if closed is None:
        return
    alert_id, is_quiet = closed
    if not is_quiet:
        _write_notices(rule, alert_id, Turn.CLOSED)


def _write_notices(rule: WatchRule, alert_id: int, turn: Turn) -> None:
    targets = [(Channel.MAIL, address) for address in rule.mail_to]
    if rule.webhook_url:
        targets.append((Channel.WEBHOOK, rule.webhook_url))
    AlertNotice.objects.bulk_create(
        AlertNotice(alert_id=alert_id, turn=turn, channel=channel, target=target)
        for channel, target in targets
    )
