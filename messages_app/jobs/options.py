"""Checks what a caller asks of a new job. Source: spec/interfaces.md 6; reliability 4.5."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import QueryDict

from messages_app.jobs.states import JobKind
from messages_app.messages.filtering.filters import parse
from messages_app.web.problems import FieldError, Problem

MAX_REASON = 1000
_MAX_MONTHS = 1200
_MAX_RATE = 100_000  # messages a second
_MAX_CANARY = 10_000  # messages


class InvalidJob(Exception):
    """What was asked cannot become a job; `errors` name each field."""

    def __init__(self, errors: list[FieldError]) -> None:
        super().__init__(" ".join(f"{error.field}: {error.message}" for error in errors))
        self.errors = errors


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option of a kind of job: its default, and the check that says what is wrong with a value."""

    default: object
    problem: Callable[[object], tuple[str, str] | None]


def check_job(
    *,
    kind: str,
    filter: Mapping[str, object],
    options: Mapping[str, object],
    reason: object,
    user: object | None,
) -> tuple[dict[str, object], dict[str, object]]:
    """
    Return the options with defaults filled in, and the filter as it is kept: absolute times, no empty values.

    Raises:
        InvalidJob: with one error for each field that is wrong.
    """
    if problem := _check_kind(kind):
        raise InvalidJob([problem])
    errors = [problem for problem in (_check_reason(reason),) if problem]
    kept_filter, filter_errors = _checked_filter(kind, filter, user)
    checked, option_errors = _checked_options(kind, options)
    if errors := [*errors, *filter_errors, *option_errors]:
        raise InvalidJob(errors)
    return checked, kept_filter


def check_rate(value: object) -> FieldError | None:
    """Return what is wrong with a rate in messages a second; None: nothing."""
    problem = _rate(value)
    return FieldError("rate", *problem) if problem else None


def _check_kind(kind: object) -> FieldError | None:
    if kind not in frozenset(JobKind):
        return FieldError("kind", "invalid_value", f"One of: {', '.join(JobKind)}.")
    if kind not in _OPTIONS:
        return FieldError("kind", "invalid_value", f"Jobs of kind {kind} are not available yet.")
    return None


def _check_reason(reason: object) -> FieldError | None:
    if not isinstance(reason, str) or not reason.strip():
        return FieldError("reason", "required", "Say why, for those who ask later.")
    if len(reason) > MAX_REASON:
        return FieldError("reason", "too_long", f"At most {MAX_REASON} characters.")
    return None


def _checked_filter(
    kind: str, filter: Mapping[str, object], user: object | None
) -> tuple[dict[str, object], list[FieldError]]:
    """Read a job's filter as the list of messages reads its address, so that both mean the same."""
    try:
        found = parse(_as_query(filter), user=user, besides=())
    except Problem as problem:
        return {}, [FieldError(f"filter.{each.field}", each.code, each.message) for each in problem.errors]
    if found.is_empty and kind not in _WITHOUT_FILTER:
        text = "A job needs a filter: an empty one would mean every message."
        return {}, [FieldError("filter", "required", text)]
    if kind == JobKind.ARCHIVE and not found.is_empty:
        text = "An archive job takes no filter yet, only its age limit."
        return {}, [FieldError("filter", "invalid_value", text)]
    return dict(found.words()), []


def _as_query(filter: Mapping[str, object]) -> QueryDict:
    query = QueryDict(mutable=True)
    for name, value in filter.items():
        values = value if isinstance(value, list) else [value]
        query.setlist(name, [_as_text(each) for each in values])
    return query


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _checked_options(kind: str, options: Mapping[str, object]) -> tuple[dict[str, object], list[FieldError]]:
    known = _OPTIONS[kind]
    checked = {name: option.default for name, option in known.items()}
    errors = []
    for name, value in options.items():
        problem = known[name].problem(value) if name in known else _unknown(name, known)
        if problem:
            errors.append(FieldError(f"options.{name}"[:80], *problem))
        checked[name] = value
    return checked, errors


def _unknown(name: str, known: Mapping[str, Option]) -> tuple[str, str]:
    return "unknown_field", f"There is no option {name[:80]!r}; known: {', '.join(known)}."


def _months(value: object) -> tuple[str, str] | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return "invalid_value", "A whole number of months."
    if not 1 <= value <= _MAX_MONTHS:
        return "out_of_range", f"From 1 to {_MAX_MONTHS} months."
    return None


def _target(value: object) -> tuple[str, str] | None:
    return None if value == "tables" else ("invalid_value", "One of: tables.")


def _flag(value: object) -> tuple[str, str] | None:
    return None if isinstance(value, bool) else ("invalid_value", "true or false.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rate(value: object) -> tuple[str, str] | None:
    if value is None:
        return None
    if not _is_number(value):
        return "invalid_value", "A number of messages a second."
    if not 0 < value <= _MAX_RATE:
        return "out_of_range", f"More than 0, at most {_MAX_RATE} messages a second."
    return None


def _canary(value: object) -> tuple[str, str] | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        return "invalid_value", "A whole number of messages."
    if not 1 <= value <= _MAX_CANARY:
        return "out_of_range", f"From 1 to {_MAX_CANARY} messages."
    return None


def _failure_rate(value: object) -> tuple[str, str] | None:
    if value is None:
        return None
    if not _is_number(value):
        return "invalid_value", "A share between 0 and 1."
    if not 0 <= value <= 1:
        return "out_of_range", "From 0 to 1: 0.2 is one in five."
    return None


_PACING = {
    "rate": Option(default=None, problem=_rate),
    "canary": Option(default=None, problem=_canary),
    "stop_at_failure_rate": Option(default=None, problem=_failure_rate),
}

# The kinds that can be run, with their options. The others are known by name and refused.
_OPTIONS: Mapping[str, Mapping[str, Option]] = {
    JobKind.ARCHIVE: {
        "older_than_months": Option(default=2, problem=_months),
        "to": Option(default="tables", problem=_target),
    },
    JobKind.RESTART: {"total": Option(default=False, problem=_flag), **_PACING},
    JobKind.CANCEL: dict(_PACING),
}

# Their set is bounded by more than a filter.
_WITHOUT_FILTER = frozenset({JobKind.ARCHIVE})
