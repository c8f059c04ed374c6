"""
Entity tags of the API's answers, and the conditions of requests that use them. Source: RFC 9110, 13.

A tag has two parts. The first changes when a caller changes the object, the second when the rest of the
answer changes, such as the progress of a job. `If-Match` only compares the first part, because otherwise no
one could pause a running job. `If-None-Match` compares both.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from rest_framework.renderers import JSONRenderer

from messages_app.core.problems import Problem, bad_field

IF_MATCH, IF_NONE_MATCH = "If-Match", "If-None-Match"
_TAG = r'(?:W/)?"[\x21\x23-\x7e]*"'
_LIST = re.compile(rf"\s*{_TAG}(\s*,\s*{_TAG})*\s*", re.ASCII)
_DIGITS = 16


@dataclass(frozen=True)
class EntityTag:
    """The tag of an answer: `own` is the digest of members that actions change, `rest` that of the others."""

    own: str
    rest: str

    def __str__(self) -> str:
        return f'"{self.own}-{self.rest}"'


def tag_of(body: Mapping[str, object], *, moving: Collection[str]) -> EntityTag:
    """
    Compute the tag of an answer.

    Args:
        moving: the members that change without an action of a caller.
    """
    own = {name: value for name, value in body.items() if name not in moving}
    rest = {name: value for name, value in body.items() if name in moving}
    return EntityTag(_digest_members(own), _digest_members(rest))


def _digest_members(members: Mapping[str, object]) -> str:
    return hashlib.sha256(JSONRenderer().render(members)).hexdigest()[:_DIGITS]


@dataclass(frozen=True)
class Conditions:
    """The conditions of a request, by header. None means that the header is absent."""

    if_match: str | None
    if_none_match: str | None

    @classmethod
    def parse_headers(cls, headers: Mapping[str, str]) -> "Conditions":
        """
        Parse the conditions of a request.

        Raises:
            Problem: 400, one of them is not a list of entity tags.
        """
        conditions = cls(headers.get(IF_MATCH), headers.get(IF_NONE_MATCH))
        for name, text in ((IF_MATCH, conditions.if_match), (IF_NONE_MATCH, conditions.if_none_match)):
            if text is not None:
                _parse_tags(name, text)
        return conditions

    @property
    def headers(self) -> dict[str, str]:
        """The headers that were given, by name."""
        both = {IF_MATCH: self.if_match, IF_NONE_MATCH: self.if_none_match}
        return {name: text for name, text in both.items() if text is not None}

    def __bool__(self) -> bool:
        return self.if_match is not None or self.if_none_match is not None

    def has_mismatch(self, tag: EntityTag | None) -> bool:
        """Whether a change of the object with this tag must be refused. None: the object does not exist."""
        return self.is_another(tag) or self.is_unchanged(tag)

    def is_another(self, tag: EntityTag | None) -> bool:
        """Whether the tag is not among the requested tags of `If-Match`."""
        return self.if_match is not None and not self._is_met(tag)

    def _is_met(self, tag: EntityTag | None) -> bool:
        if tag is None or self.if_match is None or self.if_match.strip() == "*":
            return tag is not None
        strong = [text for text, is_weak in _parse_tags(IF_MATCH, self.if_match) if not is_weak]
        return tag.own in {text.partition("-")[0] for text in strong}

    def is_unchanged(self, tag: EntityTag | None) -> bool:
        """Whether the caller already has this answer."""
        if self.if_none_match is None or tag is None:
            return False
        if self.if_none_match.strip() == "*":
            return True
        return str(tag).strip('"') in {text for text, _ in _parse_tags(IF_NONE_MATCH, self.if_none_match)}


def _parse_tags(name: str, text: str) -> list[tuple[str, bool]]:
    """Return (tag, is weak) for each tag of a header. Raises Problem: 400, it is not a list of tags."""
    if text.strip() == "*":
        return []
    if not _LIST.fullmatch(text):
        raise bad_field(name, "invalid_value", f'{name} must be * or entity tags in quotes, such as "a1-b2".')
    tags = re.findall(_TAG, text)
    return [(tag.removeprefix("W/").strip('"'), tag.startswith("W/")) for tag in tags]


def describe_mismatch(tag: EntityTag | None) -> Problem:
    """Return the 412 for an object that has changed."""
    text = "It has changed since you read it. Read it again before you change it."
    return Problem(412, "precondition_failed", text, headers={"ETag": str(tag)} if tag else {})


def unsupported_condition(name: str) -> Problem:
    """
    Return the 400 for a condition that a call does not check, because a condition must never be ignored.
    """
    text = f"This call does not support {name}. If it supports expected_state, send that in the body."
    return bad_field(name, "not_supported", text)


@dataclass(frozen=True, kw_only=True)
class Tag:
    """
    The entity tag of an object.

    Attributes:
        lock: returns the object as its GET does, with its row locked until the transaction ends; None: it
            does not exist yet. Only with this function do actions accept `If-Match`.
        moving: members that change without an action of a caller. `If-Match` ignores them.
    """

    lock: Callable[..., Mapping[str, object] | None] | None = None
    moving: frozenset[str] = frozenset()
