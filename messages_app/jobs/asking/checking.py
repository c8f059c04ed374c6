"""Checks what a caller asks of a new job. Source: spec/interfaces.md 6; reliability 4.5."""

from collections.abc import Mapping

from messages_app.jobs.asking import option_values
from messages_app.jobs.asking.filters import checked_filter
from messages_app.jobs.asking.options import checked_options
from messages_app.jobs.asking.refusals import InvalidJob, NotAllowed
from messages_app.jobs.asking.rights import may_make
from messages_app.jobs.states import JobKind
from messages_app.web.filters.kept import is_storable
from messages_app.web.problems import FieldError
from messages_app.web.reasons import MAX_REASON


def check_job(
    *,
    kind: str,
    filter: Mapping[str, object],
    options: Mapping[str, object],
    reason: object,
    user: object | None,
    confirmed: object = None,
) -> tuple[dict[str, object], dict[str, object]]:
    """
    Return the options with defaults filled in, and the filter as it is kept: absolute times, no empty values.

    Args:
        user: whose rights decide; None: the console itself, which may all.
        confirmed: how many messages somebody agreed to; None: nobody was asked.

    Raises:
        InvalidJob: with one error for each field that is wrong.
        NotAllowed: `user` may not make such a job.
    """
    if problem := _check_kind(kind):
        raise InvalidJob([problem])
    errors = [problem for problem in (_check_reason(reason), check_confirmed(confirmed)) if problem]
    kept_filter, filter_errors = checked_filter(kind, filter, user)
    checked, option_errors = checked_options(kind, options)
    if errors := [*errors, *filter_errors, *option_errors]:
        raise InvalidJob(errors)
    if user is not None and not may_make(user, kind, checked):
        raise NotAllowed("You may not make such a job.")
    return checked, kept_filter


def check_rate(value: object) -> FieldError | None:
    """Return what is wrong with a rate in messages a second; None: nothing."""
    fault = option_values.rate(value)
    return FieldError("rate", *fault) if fault else None


def check_confirmed(value: object) -> FieldError | None:
    """Return what is wrong with a number that was confirmed; None: nothing, or there is none."""
    fault = None if value is None else option_values.count(value)
    return FieldError("confirmed", *fault) if fault else None


def _check_kind(kind: object) -> FieldError | None:
    if not isinstance(kind, str) or kind not in frozenset(JobKind):
        return FieldError("kind", "invalid_value", f"One of: {', '.join(JobKind)}.")
    return None


def _check_reason(reason: object) -> FieldError | None:
    if not isinstance(reason, str) or not reason.strip():
        return FieldError("reason", "required", "Say why, for those who ask later.")
    if len(reason) > MAX_REASON:
        return FieldError("reason", "too_long", f"At most {MAX_REASON} characters.")
    if "\0" in reason or not is_storable(reason):
        return FieldError("reason", "invalid_value", "The text must be UTF-8 without NUL.")
    return None
