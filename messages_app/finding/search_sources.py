"""
Everything that the search of every page finds for a text: whole ids first, then what else it can mean.

A text without any result can still be searched in payloads (listing/filter_form.py).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from django.contrib.auth.models import User

from messages_app.access import roles
from messages_app.core.search_results import Kind
from messages_app.core.store_functions import look_ups_of
from messages_app.finding.place_search import (
    find_chapters,
    find_jobs,
    find_new_jobs,
    find_pages,
    find_users,
    find_views,
)
from messages_app.finding.record_search import KEY, find_incidents, find_keys, find_values
from messages_app.messages.failures.error_search import find_error_texts
from messages_app.messages.id_lookup import MAX_LENGTH
from messages_app.messages.id_prefixes import PREFIXED, find_ids_from
from messages_app.shared.key_extraction import MAX_VALUE


@dataclass(frozen=True, kw_only=True)
class Matches:
    """
    The results for an entered text.

    Args:
        text: as it was entered.
        ids: the rows that have it as a whole id, for each kind of id.
        others: the other results, by kind, in the order of _SOURCES.
        trimmed: the id that the rows have, if none has the entered one and this is it without the white space
            at its ends; else empty.
    """

    text: str
    ids: list[Kind] = field(default_factory=list)
    others: list[Kind] = field(default_factory=list)
    trimmed: str = ""

    @property
    def kinds(self) -> list[Kind]:
        return [*self.ids, *self.others]


@dataclass(frozen=True, kw_only=True)
class _Source:
    """One thing that is searched, with the permission that shows it."""

    find: Callable[[str, User], Iterator[Kind]]
    right: str = roles.CAN_VIEW_MESSAGES


# In the order of the results.
_SOURCES = (
    _Source(find=find_keys),
    _Source(find=find_incidents),
    _Source(find=lambda text, user: find_ids_from(text)),
    _Source(find=lambda text, user: find_error_texts(text)),
    _Source(find=lambda text, user: find_values(text)),
    _Source(find=find_pages, right=""),
    _Source(find=find_new_jobs, right=roles.CAN_VIEW_JOBS),
    _Source(find=find_views),
    _Source(find=find_jobs, right=roles.CAN_VIEW_JOBS),
    _Source(find=find_users),
    _Source(find=lambda text, user: find_chapters(text), right=""),
)


# One letter begins too many words. The longest texts are values of business keys.
_MIN_TEXT = 2
MAX_TEXT = max(MAX_LENGTH, MAX_VALUE)


def is_searchable(text: str) -> bool:
    """Whether something may have this text. It is compared exactly, so a longer one is not cut."""
    return 0 < len(text) <= MAX_TEXT and "\0" not in text


def search_everything(text: str, user: User) -> Matches:
    """Return what the user may see of everything that has a text. Each query has a time limit of its own."""
    ids, trimmed = _look_up_ids(text, user)
    word = text.strip()
    if len(word) < _MIN_TEXT or not is_searchable(word):
        return Matches(text=text, ids=ids, trimmed=trimmed)
    others = [
        kind
        for source in _SOURCES
        if not source.right or user.has_perm(source.right)
        for kind in source.find(word, user)
    ]
    return Matches(text=text, ids=ids, others=list(_show_keys_once(others)), trimmed=trimmed)


def _show_keys_once(kinds: list[Kind]) -> Iterator[Kind]:
    """Yield kinds without ids that are also keys: the page of a key has the messages of the id, too."""
    values = {hit.name for kind in kinds if kind.name == KEY for hit in kind.hits}
    for kind in kinds:
        hits = [hit for hit in kind.hits if kind.name not in PREFIXED or hit.name not in values]
        if hits or not kind.hits:
            yield replace(kind, hits=hits)


def _look_up_ids(text: str, user: User) -> tuple[list[Kind], str]:
    """
    Return the rows of all stores that the user may see with this id, and the id if it is not the whole text.
    """
    look_ups = look_ups_of(user)
    for one in dict.fromkeys((text, text.strip())):
        kinds = [kind for look_up in look_ups for kind in look_up(one)] if is_searchable(one) else []
        if kinds:
            return kinds, "" if one == text else one
    return [], ""
