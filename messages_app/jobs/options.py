"""Checks what a caller asks of a new job. Source: spec/interfaces.md 6; reliability 4.5."""

from collections.abc import Callable, Mapping

from messages_app.jobs.states import JobKind
from messages_app.web.problems import FieldError

MAX_REASON = 1000
_MAX_MONTHS = 1200


class InvalidJob(Exception):
    """What was asked cannot become a job; `errors` name each field."""

    def __init__(self, errors: list[FieldError]) -> None:
        super().__init__(" ".join(f"{error.field}: {error.message}" for error in errors))
        self.errors = errors


# The kinds that can be run. The others are known by name and refused.
_AVAILABLE = frozenset({JobKind.ARCHIVE})


def check_job(
    *, kind: str, filter: Mapping[str, object], options: Mapping[str, object], reason: object
) -> dict[str, object]:
    """
    Return the options, with defaults filled in.

    Raises:
        InvalidJob: with one error for each field that is wrong.
    """
    errors = [error for error in (_check_kind(kind), _check_filter(filter), _check_reason(reason)) if error]
    checked: dict[str, object] = {}
    for name, value in (_ARCHIVE_DEFAULTS | dict(options)).items():
        check = _ARCHIVE_CHECKS.get(name)
        problem = check(value) if check else FieldError(name, "unknown_field", _unknown(name))
        if problem is None:
            checked[name] = value
        else:
            errors.append(FieldError(f"options.{name}", problem.code, problem.message))
    if errors:
        raise InvalidJob(errors)
    return checked


def _unknown(name: str) -> str:
    return f"There is no option {name[:80]!r}; known: {', '.join(_ARCHIVE_CHECKS)}."


def _check_kind(kind: object) -> FieldError | None:
    if kind not in frozenset(JobKind):
        return FieldError("kind", "invalid_value", f"One of: {', '.join(JobKind)}.")
    if kind not in _AVAILABLE:
        return FieldError("kind", "invalid_value", f"Jobs of kind {kind} are not available yet.")
    return None


def _check_filter(filter: Mapping[str, object]) -> FieldError | None:
    if filter:
        return FieldError(
            "filter", "invalid_value", "An archive job takes no filter yet, only its age limit."
        )
    return None


def _check_reason(reason: object) -> FieldError | None:
    if not isinstance(reason, str) or not reason.strip():
        return FieldError("reason", "required", "Say why, for those who ask later.")
    if len(reason) > MAX_REASON:
        return FieldError("reason", "too_long", f"At most {MAX_REASON} characters.")
    if "\x00" in reason:
        return FieldError("reason", "invalid_value", "Must not contain NUL.")
    return None


def _check_months(value: object) -> FieldError | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return FieldError("older_than_months", "invalid_value", "A whole number of months.")
    if not 1 <= value <= _MAX_MONTHS:
        return FieldError("older_than_months", "out_of_range", f"From 1 to {_MAX_MONTHS} months.")
    return None


def _check_target(value: object) -> FieldError | None:
    if value == "parquet":
        return FieldError("to", "invalid_value", "Archiving to Parquet is not available yet; use tables.")
    if value != "tables":
        return FieldError("to", "invalid_value", "One of: tables.")
    return None


_ARCHIVE_DEFAULTS: dict[str, object] = {"older_than_months": 2, "to": "tables"}
_ARCHIVE_CHECKS: dict[str, Callable[[object], FieldError | None]] = {
    "older_than_months": _check_months,
    "to": _check_target,
}
