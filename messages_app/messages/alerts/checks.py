"""
Opens an alert when a rule's limit is passed, and closes it when it no longer is; each once, no matter who
looks.

The first to insert, or to close, is the one who writes the notices, in the same transaction.
"""

import logging

from django.db import OperationalError, connection, transaction
from django.http import QueryDict
from django.utils import timezone

from messages_app.core.clock import time_limit, was_too_slow
from messages_app.core.problems import Problem
from messages_app.core.statements import Statements
from messages_app.messages.alerts.models import AlertNotice, WatchRule
from messages_app.messages.alerts.states import Channel, Measure, Turn
from messages_app.messages.filters import vocabulary
from messages_app.messages.filters.branches import querysets

statements = Statements("messages_app.messages.alerts")


# What a rule's number is now: from the counts, or for a saved view by counting to just above the limit.


# A view's count is a search of the list, and beat checks all rules in turn.
VIEW_MS = 2_000

_COLUMNS = (
    "state",
    "service_name",
    "operation_name",
    "source_system",
    "failed_error_code",
    "window_minutes",
    "older_than_seconds",
    "at_least",
)


class CannotMeasure(Exception):
    """What the rule is about cannot be told; the message says why in a sentence."""


def measured(rule: WatchRule) -> float:
    """
    Return what the rule measures now. Of a saved view, it may be as little as just above the limit.

    Raises:
        CannotMeasure: its view is gone, is invalid any more, or takes too long to count.
    """
    if rule.measure == Measure.SAVED_VIEW:
        return _of_view(rule)
    values = {name: getattr(rule, name) for name in _COLUMNS}
    (value,) = statements.row(f"measure_{Measure(rule.measure)}", values)
    return float(value)


def _of_view(rule: WatchRule) -> float:
    if rule.saved_view is None:
        raise CannotMeasure("Its saved view was deleted.")
    most = int(rule.limit) + 1
    try:
        params = QueryDict(rule.saved_view.query)
        filters = vocabulary.read(params, user=rule.saved_view.owner, now=timezone.now())
        with time_limit(VIEW_MS):
            return float(sum(rows.order_by()[:most].count() for rows in querysets(filters)))
    except Problem as problem:
        raise CannotMeasure(f"Its saved view is no longer a valid filter: {problem.detail}") from None
    except OperationalError as error:
        if was_too_slow(error):
            raise CannotMeasure("Its saved view takes too long to count.") from None
        raise


logger = logging.getLogger(__name__)


def check_rules() -> None:
    """Check each rule once; what goes wrong with one keeps no other waiting."""
    # The worker's database role reads no passwords.
    rules = WatchRule.objects.select_related("saved_view__owner").defer("saved_view__owner__password")
    for rule in rules.filter(enabled=True):
        try:
            check_rule(rule)
        except Exception:
            logger.exception("The watch rule %s could not be checked.", rule.pk)
            connection.close_if_unusable_or_obsolete()


def check_rule(rule: WatchRule) -> None:
    """Measure, and open or close the rule's alert. What cannot be measured opens and closes nothing."""
    try:
        value = measured(rule)
    except CannotMeasure as error:
        statements.count("note_look", {"rule_id": rule.pk, "value": None, "error": str(error)[:300]})
        return
    found = {"rule_id": rule.pk, "value": value}
    with transaction.atomic():
        statements.count("note_look", found | {"error": ""})
        if value <= rule.limit:
            _close(rule, found)
        elif not statements.count("note_value", found):
            _open(rule, found)


def _open(rule: WatchRule, found: dict[str, object]) -> None:
    opened = statements.row("open_alert", found)
    if opened is None:
        return
    alert_id, is_quiet = opened
    if not is_quiet:
        statements.count("note_told", {"rule_id": rule.pk})
        _write_notices(rule, alert_id, Turn.OPENED)


def _close(rule: WatchRule, found: dict[str, object]) -> None:
    closed = statements.row("close_alert", found)
    if closed is not None and not closed[1]:
        _write_notices(rule, closed[0], Turn.CLOSED)


def _write_notices(rule: WatchRule, alert_id: int, turn: Turn) -> None:
    targets = [(Channel.MAIL, address) for address in rule.mail_to]
    if rule.webhook_url:
        targets.append((Channel.WEBHOOK, rule.webhook_url))
    AlertNotice.objects.bulk_create(
        AlertNotice(alert_id=alert_id, turn=turn, channel=channel, target=target)
        for channel, target in targets
    )
