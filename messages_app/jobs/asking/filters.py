"""The filter of a job: that of the message list, with what each kind asks of it besides."""

from collections.abc import Iterator, Mapping

from django.http import QueryDict

from messages_app.jobs.states import JobKind
from messages_app.messages.filtering.filter_values import ANYWHERE, MAX_ID
from messages_app.messages.filtering.filters import ARCHIVED, FILTERS, STATE, MessageFilter, parse
from messages_app.messages.states import FINAL_STATES
from messages_app.web.problems import FieldError, Problem

# Their set is bounded by more than a filter.
_WITHOUT_FILTER = frozenset({JobKind.ARCHIVE})

# They change messages where they live.
_OF_LIVE_MESSAGES = frozenset({JobKind.ARCHIVE, JobKind.RESTART, JobKind.CANCEL})

Checked = tuple[dict[str, object], list[FieldError]]


def checked_filter(kind: str, filter: Mapping[str, object], user: object | None) -> Checked:
    """
    Return a filter as a job keeps it, and what is wrong with it.

    It is read as the list of messages reads its address, so that both mean the same: times are absolute,
    each state stands once. A restore is always of the archive.
    """
    if errors := list(_type_errors(filter)):
        return {}, errors
    try:
        found = parse(_as_query(filter), user=user, besides=())
    except Problem as problem:
        return {}, [_named(each.field, each.code, each.message) for each in problem.errors]
    if errors := list(_kind_errors(kind, found)):
        return {}, errors
    archived = {ARCHIVED: "true"} if kind == JobKind.RESTORE else {}
    return dict(found.words()) | archived, []


def message_filter(kept: Mapping[str, object]) -> MessageFilter:
    """
    Return what a filter as a job keeps it means; it was checked for its maker when the job was accepted.

    Raises:
        Problem: it is no filter any more, such as one that was edited by hand.
    """
    return parse(_as_query(kept), user=None, besides=())


def _type_errors(filter: Mapping[str, object]) -> Iterator[FieldError]:
    """Yield what no address could hold; names that there are not are left to the list's own check."""
    for name, value in filter.items():
        if fault := _type_fault(name, value):
            yield _named(name, *fault)


def _type_fault(name: str, value: object) -> tuple[str, str] | None:
    if not isinstance(value, list):
        return _single_fault(value)
    if name in FILTERS and not FILTERS[name].repeatable:
        return "invalid_value", f"{name} takes one value, not a list."
    if not value:
        return "required", f"{name} must not be empty."
    return next(filter(None, map(_single_fault, value)), None)


def _single_fault(value: object) -> tuple[str, str] | None:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_ID:
        return "out_of_range", f"A number from 0 to {MAX_ID}."
    if isinstance(value, bool | int):
        return None
    if not isinstance(value, str):
        return "invalid_value", "A text, or a list of texts where several are taken."
    return None if is_storable(value) else ("invalid_value", "The text must be UTF-8.")


def is_storable(text: str) -> bool:
    """Whether the database can hold the text, but for NUL, which is told apart."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _as_query(filter: Mapping[str, object]) -> QueryDict:
    query = QueryDict(mutable=True)
    for name, value in filter.items():
        values = value if isinstance(value, list) else [value]
        query.setlist(name, [_as_text(each) for each in values])
    return query


def _as_text(value: str | bool | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _kind_errors(kind: str, found: MessageFilter) -> Iterator[FieldError]:
    if found.is_empty and kind not in _WITHOUT_FILTER:
        text = "A job needs a filter: an empty one would mean every message."
        yield FieldError("filter", "required", text)
    place = found.values.get(ARCHIVED)
    if place and kind in _OF_LIVE_MESSAGES:
        yield _named(ARCHIVED, "invalid_value", f"A {kind} job is of live messages.")
    if place == ANYWHERE and kind == JobKind.RESTORE:
        yield _named(ARCHIVED, "invalid_value", "A restore job is of archived messages.")
    if kind == JobKind.ARCHIVE and (moving := set(found.states) - FINAL_STATES):
        final = ", ".join(sorted(FINAL_STATES))
        text = f"Only final messages are archived ({final}), not {', '.join(sorted(moving))}."
        yield _named(STATE, "invalid_value", text)


def _named(name: str, code: str, message: str) -> FieldError:
    return FieldError(f"filter.{name}"[:80], code, message)
