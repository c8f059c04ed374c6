"""The filter of a job: that of its store's list, with what each kind asks of it besides."""

from collections.abc import Iterator, Mapping

from messages_app.jobs.states import JobKind
from messages_app.jobs.stores.registry import store_of
from messages_app.web.filters.kept import as_query, is_storable
from messages_app.web.filters.table import Table
from messages_app.web.ids import MAX_ID
from messages_app.web.problems import FieldError, Problem

# Their set is bounded by more than a filter, or is always the same.
_WITHOUT_FILTER = frozenset({JobKind.ARCHIVE, JobKind.ARCHIVE_HISTORY, JobKind.GROUP_FAILURES})

Checked = tuple[dict[str, object], list[FieldError]]


def checked_filter(kind: str, filter: Mapping[str, object], user: object | None) -> Checked:
    """
    Return a filter as a job keeps it, and what is wrong with it.

    It is read as the list of the kind's store reads its address, so that both mean the same: times are
    absolute, each state stands once.
    """
    store = store_of(kind)
    if errors := list(_type_errors(filter, store.vocabulary.filters)):
        return {}, errors
    try:
        found = store.parse(as_query(filter), user=user)
    except Problem as problem:
        return {}, [_named(each.field, each.code, each.message) for each in problem.errors]
    if found.is_empty and kind not in _WITHOUT_FILTER:
        text = "A job needs a filter: an empty one would mean every row."
        return {}, [FieldError("filter", "required", text)]
    if errors := [_named(each.field, each.code, each.message) for each in store.faults(kind, found)]:
        return {}, errors
    return store.kept(kind, found), []


def _type_errors(filter: Mapping[str, object], known: Table) -> Iterator[FieldError]:
    """Yield what no address could hold; names that there are not are left to the list's own check."""
    for name, value in filter.items():
        if fault := _type_fault(name, value, known):
            yield _named(name, *fault)


def _type_fault(name: str, value: object, known: Table) -> tuple[str, str] | None:
    if not isinstance(value, list):
        return _single_fault(value)
    if name in known and not known[name].repeatable:
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


def _named(name: str, code: str, message: str) -> FieldError:
    return FieldError(f"filter.{name}"[:80], code, message)
