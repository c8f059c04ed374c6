"""Measures watch rules: their current value, and since when the condition of an open alert holds."""

from datetime import datetime

from django.http import QueryDict
from django.utils import timezone

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.problems import Problem
from messages_app.core.statements import Statements
from messages_app.messages.alerts.models import Alert, WatchRule
from messages_app.messages.alerts.states import Measure
from messages_app.messages.filters.branches import split_into_querysets
from messages_app.messages.filters.message_filter import read_list_filter

statements = Statements("messages_app.messages.alerts")


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
        filters = read_list_filter(params, user=rule.saved_view.owner, now=timezone.now())
        with time_limit(_MAX_VIEW_MS):
            return float(sum(rows.order_by()[:most].count() for rows in split_into_querysets(filters)))
    except Problem as problem:
        raise CannotMeasure(f"Its saved view is no longer a valid filter: {problem.detail}") from None
    except TooSlow:
        raise CannotMeasure("Its saved view takes too long to count.") from None


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
