"""
The sentences of watch rules: "When the share of failures of billing is above 5 % for 10 min".

A sentence is written once for each measure. Its gaps are the fields of the form, or the values of a rule.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

from messages_app.core.formatting import format_decimal, format_duration, format_percent
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.states import Measure

# The names of the measures in the form.
MEASURES: Mapping[str, str] = {
    Measure.FAILURE_RATE: "Share of failures",
    Measure.ENTERED: "Changes of state",
    Measure.PRESENT: "Messages in a state",
    Measure.AGE: "Oldest message",
    Measure.SAVED_VIEW: "Saved view",
}

# The clauses of each sentence. {of}: the service and the other conditions.
_CLAUSES: Mapping[str, tuple[str, ...]] = {
    Measure.FAILURE_RATE: (
        "When the share of failures{of} is above {limit} % for {window_minutes} min",
        ", if at least {at_least} messages ended",
    ),
    Measure.ENTERED: (
        "When the number of messages{of} that change to {state} within {window_minutes} min is above {limit}",
    ),
    Measure.PRESENT: (
        "When the number of {state} messages{of}",
        " unchanged for {older_than_minutes} min",
        " is above {limit}",
    ),
    Measure.AGE: ("When the oldest {state} message{of} is unchanged for more than {limit} min",),
    Measure.SAVED_VIEW: ("When the number of messages in the view {saved_view} is above {limit}",),
}

_GAP = re.compile(r"\{(\w+)\}")
# How many units of the stored limit one unit of the sentence is: percent of a share, minutes of seconds.
_LIMIT_UNITS: Mapping[str, float] = {Measure.FAILURE_RATE: 0.01, Measure.AGE: 60}
_CONDITIONS = {
    "service_name": " of {}",
    "operation_name": " with operation {}",
    "source_system": " from {}",
    "failed_error_code": " with error {}",
}


def gaps_of(measure: str) -> list[str]:
    """Return the names of the gaps in the sentence of a measure."""
    return _GAP.findall("".join(_CLAUSES[measure]))


def split_sentence(measure: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of the sentence of a measure, as (words, name of the gap after them or "")."""
    parts = _GAP.split("".join(_CLAUSES[measure]))
    yield from zip(parts[::2], [*parts[1::2], ""], strict=True)


def describe_rule(rule: WatchRule) -> str:
    """Return the sentence of a rule."""
    values: dict[str, object] = {
        "of": "".join(
            words.format(value) for name, words in _CONDITIONS.items() if (value := getattr(rule, name))
        ),
        "limit": format_decimal(limit_in_units(rule.measure, rule.limit)),
        "state": rule.state,
        "window_minutes": rule.window_minutes,
        "at_least": rule.at_least,
        "older_than_minutes": format_decimal(rule.older_than_seconds / 60),
        "saved_view": rule.saved_view.name if rule.saved_view else "(deleted)",
    }
    return "".join(clause.format(**values) for clause in _clauses_of(rule))


def _clauses_of(rule: WatchRule) -> Iterator[str]:
    """Yield the clauses of a rule without those whose condition is not set."""
    unset = {
        name
        for name, value in (("at_least", rule.at_least), ("older_than_minutes", rule.older_than_seconds))
        if not value
    }
    for clause in _CLAUSES.get(rule.measure, ()):
        if not unset.intersection(_GAP.findall(clause)):
            yield clause


def limit_in_units(measure: str, limit: float) -> float:
    """Return a limit as the sentence has it. Rounded: 0.07 is 7 % and not 7.000000000000001 %."""
    return round(limit / _LIMIT_UNITS.get(measure, 1), 6)


def limit_of_units(measure: str, limit: float) -> float:
    """Return the limit to store."""
    return round(limit * _LIMIT_UNITS.get(measure, 1), 9)


_VALUES: Mapping[str, Callable[[float], str]] = {
    Measure.FAILURE_RATE: format_percent,
    Measure.AGE: lambda seconds: format_duration(timedelta(seconds=seconds)),
}


def describe_value(measure: str, value: float | None) -> str:
    """Return a measured value with its unit: 5 %, 41 min, 1 240."""
    if value is None:
        return format_decimal(value)
    return _VALUES.get(measure, format_decimal)(value)
