"""
Checks of new and stored jobs: kind, filter, options, reason and confirmed number.

Source: docs/contributing/spec/interfaces.md, "Jobs"; docs/contributing/spec/bad_input.md, "Jobs".
"""

from collections.abc import Iterator, Mapping
from typing import Final, cast
from urllib.parse import unquote_to_bytes

from django.http import QueryDict

from messages_app.access.actors import Caller
from messages_app.core.filters.address import as_query, is_storable
from messages_app.core.filters.table import Table
from messages_app.core.parameters import MAX_ID, MIN_ID
from messages_app.core.problems import FieldError, Problem, unknown_name
from messages_app.core.reason_form import MAX_REASON
from messages_app.jobs.errors import InvalidJob, NotAllowed
from messages_app.jobs.kinds import option_checks
from messages_app.jobs.kinds.option_checks import Fault
from messages_app.jobs.kinds.options import Option
from messages_app.jobs.kinds.registry import kind_specs, refusal_of_kind, refuse_kind, spec_of
from messages_app.jobs.kinds.spec import JobRequest
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import may_make
from messages_app.jobs.stores import store_of
from messages_app.shared.job_records import Given, JobFilter, JobOptions
from messages_app.shared.visible_text import is_blank

# In a job's report: the confirmed number, and the number of messages in the frozen set that are not skipped.
CONFIRMED: Final = "confirmed"
TO_DO: Final = "to_do"


def is_confirmed(confirmed: int, to_do: int) -> bool:
    """Whether a confirmed number is enough for this many messages: at most a tenth more."""
    return to_do * 10 <= confirmed * 11


CheckedFilter = tuple[JobFilter, list[FieldError]]
CheckedOptions = tuple[JobOptions, list[FieldError]]


def checked_filter(kind: str, filter: Given, user: Caller | None) -> CheckedFilter:
    """
    Return a filter as a job stores it, with its errors.

    It is parsed like the address of the store's list, so that both mean the same. Times become absolute, and
    each state is listed once.
    """
    store = store_of(kind)
    if errors := list(type_errors(filter, store.vocabulary.filters)):
        return {}, errors
    try:
        parsed = store.parse(as_query(filter), user=user)
    except Problem as problem:
        return {}, [_field_error(each.field, each.code, each.message) for each in problem.errors]
    if parsed.is_empty and spec_of(kind).needs_filter:
        text = "Add a filter: without one, the job would select every row."
        return {}, [FieldError("filter", "required", text)]
    if errors := [
        _field_error(each.field, each.code, each.message) for each in store.find_faults(kind, parsed)
    ]:
        return {}, errors
    return store.job_filter(kind, parsed), []


def type_errors(filter: Given, filters: Table) -> Iterator[FieldError]:
    """Yield errors for values that an address cannot have. The list's own check reports unknown names."""
    for name, value in filter.items():
        if fault := _type_fault(name, value, filters):
            yield _field_error(name, *fault)


def _type_fault(name: str, value: object, filters: Table) -> tuple[str, str] | None:
    if not isinstance(value, list):
        return _single_fault(value)
    if name in filters and not filters[name].repeatable:
        return "invalid_value", f"{name} takes a single value, not a list."
    if not value:
        return "required", f"{name} must not be empty."
    return next(filter(None, map(_single_fault, value)), None)


def _single_fault(value: object) -> tuple[str, str] | None:
    if isinstance(value, int) and not isinstance(value, bool) and not MIN_ID <= value <= MAX_ID:
        return "out_of_range", f"A number from {MIN_ID} to {MAX_ID}."
    if isinstance(value, bool | int):
        return None
    if not isinstance(value, str):
        return "invalid_value", "Must be text, or a list of texts where several values are allowed."
    return None if is_storable(value) else ("invalid_value", "The text must be UTF-8.")


def _field_error(name: str, code: str, message: str) -> FieldError:
    return FieldError(f"filter.{name}"[:80], code, message)


def check_job(
    *,
    kind: str,
    filter: Given,
    options: Given,
    reason: object,
    user: Caller | None,
    confirmed: object = None,
) -> JobRequest:
    """
    Return the job with the defaults of its options, and its filter as it is stored: absolute times, no empty
    values.

    Args:
        user: the user whose permissions decide; None: the console itself, without limits.
        confirmed: the number of messages that the user agreed to change; None: no confirmation.

    Raises:
        InvalidJob: a parameter is wrong; `errors` has each field.
        NotAllowed: `user` may not create such a job.
        NotAttachedForThis: the console is attached to a hub, where it cannot run such a job.
    """
    if problem := _check_kind(kind):
        raise InvalidJob([problem])
    refuse_kind(str(kind))
    errors = [problem for problem in (_check_reason(reason), check_confirmed(confirmed)) if problem]
    job_filter, filter_errors = checked_filter(kind, filter, user)
    checked, option_errors = checked_options(kind, options)
    if errors := [*errors, *filter_errors, *option_errors]:
        raise InvalidJob(errors)
    refuse_kind(str(kind), checked)
    if user is not None and not may_make(user, kind, checked):
        raise NotAllowed("You do not have permission for this kind of job.")
    return JobRequest(spec=kind_specs[kind], filter=job_filter, options=checked, user=user)


def check_rate(value: object) -> FieldError | None:
    """Return the error of a rate in messages per second, or None."""
    fault = option_checks.check_rate(value)
    return FieldError("rate", *fault) if fault else None


def check_confirmed(value: object) -> FieldError | None:
    """Return the error of a confirmed number, or None. A missing number is valid."""
    fault = None if value is None else option_checks.check_count(value)
    return FieldError("confirmed", *fault) if fault else None


def _check_kind(kind: object) -> FieldError | None:
    if not isinstance(kind, str) or kind not in kind_specs:
        return FieldError("kind", "invalid_value", f"One of: {', '.join(kind_specs)}.")
    return None


def _check_reason(reason: object) -> FieldError | None:
    if not isinstance(reason, str) or is_blank(reason):
        return FieldError("reason", "required", "Enter a reason. It is recorded in the audit log.")
    if len(reason) > MAX_REASON:
        return FieldError("reason", "too_long", f"At most {MAX_REASON} characters.")
    if "\0" in reason or not is_storable(reason):
        return FieldError("reason", "invalid_value", "The text must be UTF-8 without NUL.")
    return None


def checked_options(kind: str, options: Given) -> CheckedOptions:
    """Return the options of a job, with defaults filled in, and the errors of the given ones."""
    of_kind = spec_of(kind).options
    checked: dict[str, object] = {name: option.default for name, option in of_kind.items()}
    errors = []
    for name, value in options.items():
        is_default = name in of_kind and value is None and checked[name] is None
        fault = None if is_default else _option_fault(name, value, of_kind)
        if fault:
            errors.append(FieldError(f"options.{name}"[:80], *fault))
        checked[name] = value
    check_together = spec_of(kind).check_together
    if check_together and not errors and (together := check_together(checked)):
        name, code, text = together
        errors.append(FieldError(f"options.{name}", code, text))
    return cast(JobOptions, checked), errors


def _option_fault(name: str, value: object, of_kind: Mapping[str, Option]) -> Fault:
    if name in of_kind:
        return of_kind[name].fault(value)
    names = f" Known: {', '.join(of_kind)}." if of_kind else " This kind of job has no options."
    return "unknown_field", unknown_name("option", name, of_kind) + names


def describe_stored_faults(job: Job) -> str:
    """
    Return why the job's stored parameters are invalid, in a sentence; empty if they are valid.

    Someone may have edited them in the database. Source: docs/contributing/spec/bad_input.md, J72.
    """
    faults = " ".join(_iterate_faults(job))
    return f"stored parameters invalid: {faults}" if faults else ""


def _iterate_faults(job: Job) -> Iterator[str]:
    if job.kind not in kind_specs:
        yield f"kind: unknown kind {job.kind!r}."
        return
    if refusal := refusal_of_kind(job.kind):
        yield f"kind: {refusal}"
        return
    if not isinstance(job.filter, dict) or not isinstance(job.options, dict):
        yield "filter and options: both must be JSON objects."
        return
    errors = _filter_errors(job) + checked_options(job.kind, job.options)[1]
    if error := check_rate(job.rate):
        errors.append(error)
    yield from (f"{error.field}: {error.message}" for error in errors)
    if spec_of(job.kind).has_age_limit and job.cutoff is None:
        yield "cutoff: an archive job needs its age limit."


def _filter_errors(job: Job) -> list[FieldError]:
    """
    Return the errors of the filter. A job that follows another may have none, because its set comes from that
    job.
    """
    follows = job.undo_of is not None or job.retry_of is not None
    if follows and not job.filter:
        return []
    return checked_filter(job.kind, job.filter, user=None)[1]


def filter_of_query(text: str) -> Given:
    """
    Return the unchecked filter of a query string, with or without its question mark. Blanks at its end belong
    to its last value, but the end of a line does not.

    Raises:
        InvalidJob: the text is not percent-encoded UTF-8.
    """
    query = text.lstrip().rstrip("\r\n").removeprefix("?")
    if not query.strip():
        return {}
    if not is_storable(query) or not _is_utf8(query):
        raise InvalidJob([FieldError("filter", "invalid_encoding", "It must be percent-encoded UTF-8.")])
    values = QueryDict(query)
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in values.lists()}


def _is_utf8(query: str) -> bool:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        return False
    return True
