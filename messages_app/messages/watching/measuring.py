"""What a rule's number is now: from the counts, or for a saved view by counting to just above the limit."""

from django.db import OperationalError
from django.http import QueryDict
from django.utils import timezone

from messages_app.messages.filtering.branches import querysets
from messages_app.messages.query_line import addresses
from messages_app.messages.watching.models import WatchRule
from messages_app.messages.watching.sql import sender
from messages_app.messages.watching.states import Measure
from messages_app.web.problems import Problem
from messages_app.web.time_limits import time_limit, was_too_slow

# A view's count is a search of the list, and beat looks at all rules in turn.
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
        CannotMeasure: its view is gone, is none any more, or takes too long to count.
    """
    if rule.measure == Measure.SAVED_VIEW:
        return _of_view(rule)
    values = {name: getattr(rule, name) for name in _COLUMNS}
    (value,) = sender.row_of(f"measure_{Measure(rule.measure)}", values)
    return float(value)


def _of_view(rule: WatchRule) -> float:
    if rule.saved_view is None:
        raise CannotMeasure("Its saved view was deleted.")
    most = int(rule.limit) + 1
    try:
        params = QueryDict(rule.saved_view.query)
        filters = addresses.read(params, user=rule.saved_view.owner, now=timezone.now())
        with time_limit(VIEW_MS):
            return float(sum(rows.order_by()[:most].count() for rows in querysets(filters)))
    except Problem as problem:
        raise CannotMeasure(f"Its saved view is no filter any more: {problem.detail}") from None
    except OperationalError as error:
        if was_too_slow(error):
            raise CannotMeasure("Its saved view takes too long to count.") from None
        raise
