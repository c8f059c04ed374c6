"""
Find and replace in payloads, for jobs that correct many. Imports no Django code, because executors use it.

Only some spans of a payload are replaced. Everything else in it stays the same, byte for byte.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from messages_app.shared.corrected_payloads import MASKED, TOO_LONG, UNCHANGED, fault_of_correction
from messages_app.shared.job_states import SkipReason
from messages_app.shared.payload_places import name_places
from messages_app.shared.text_safety import MASK
from messages_app.shared.value_spans import Span, TooLarge, find_value_spans, limit_spans

_REASONS = {
    UNCHANGED: SkipReason.UNCHANGED,
    MASKED: SkipReason.MASKED,
    TOO_LONG: SkipReason.TOO_LARGE,
}


# Changes of one payload whose places are named.
_MAX_PLACES = 10_000


class Correction(NamedTuple):
    """
    The result for one payload.

    Attributes:
        payload: the corrected payload; None if it is not sent.
        refusal: why not; None otherwise.
        before: the payload, of which `spans` are replaced.
    """

    payload: str | None
    refusal: SkipReason | None = None
    before: str = ""
    spans: tuple[Span, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """
        The places of the changes, each once, such as `customer` for the content of this element.

        To name them takes longer than the correction, and only previews need them.
        """
        starts = [span.start for span in self.spans[:_MAX_PLACES]]
        return tuple(sorted(set(name_places(self.before, starts))))


class Excerpt(NamedTuple):
    """One change with the text around it."""

    before: str
    old: str
    new: str
    after: str


# Characters around a change, and of the change itself, in an excerpt.
_AROUND, _MAX_SHOWN = 40, 200


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """
    Replaces every occurrence of a text, as it is written in the payload; or the values of a path.

    Args:
        find, replace: the text, and the text in its place. A line end \\n also finds \\r\\n, and remains as
            it is in the payload.
        path, value: an XPath or JSONPath, and the new value, which is escaped as the payload needs.
    """

    find: str = ""
    replace: str = ""
    path: str = ""
    value: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it replaces nothing, as in a form that is not filled in yet."""
        return not self.find and not self.path

    def correct_payload(self, payload: str) -> Correction:
        """Return the corrected payload, or why the message is not sent."""
        if MASK in payload:
            return Correction(None, SkipReason.MASKED)
        try:
            spans = self._find_changes(payload)
        except TooLarge:
            return Correction(None, SkipReason.TOO_LARGE)
        corrected = _replace_spans(payload, spans)
        if fault := fault_of_correction(corrected, before=payload):
            return Correction(None, _REASONS.get(fault.code, SkipReason.NOT_WELL_FORMED))
        return Correction(corrected, before=payload, spans=spans)

    def is_single_change(self, before: str, after: str) -> bool:
        """Whether it makes `after` of `before` by a single change."""
        spans = list(islice(self._find_spans(before), 2))
        return len(spans) == 1 and _replace_spans(before, spans) == after

    def find_excerpt(self, payload: str, place: str) -> Excerpt | None:
        """Return the first change at a place; None if the payload has none there any more."""
        try:
            spans = self._find_changes(payload)[:_MAX_PLACES]
        except TooLarge:
            return None
        names = name_places(payload, [span.start for span in spans])
        for span, name in zip(spans, names, strict=True):
            if name == place:
                return Excerpt(
                    payload[max(span.start - _AROUND, 0) : span.start],
                    payload[span.start : span.end][:_MAX_SHOWN],
                    span.new[:_MAX_SHOWN],
                    payload[span.end : span.end + _AROUND],
                )
        return None

    def _find_changes(self, payload: str) -> tuple[Span, ...]:
        spans = self._find_spans(payload)
        return tuple(span for span in spans if span.new != payload[span.start : span.end])

    def _find_spans(self, payload: str) -> Iterator[Span]:
        if self.path:
            yield from find_value_spans(payload, self.path, self.value)
            return
        if self.find:
            yield from limit_spans(self._find_texts(payload))

    def _find_texts(self, payload: str) -> Iterator[Span]:
        is_literal = "\r" in self.find
        long_ends = self.replace if is_literal else self.replace.replace("\n", "\r\n")
        for match in self._pattern.finditer(payload):
            yield Span(match.start(), match.end(), long_ends if "\r\n" in match[0] else self.replace)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if "\r" in self.find:
            return re.compile(re.escape(self.find))
        # A line end of a form may be one or two characters in the payload.
        return re.compile("\r?\n".join(map(re.escape, self.find.split("\n"))))


# Characters that are added to a change at a time, until the payload has the text only once.
_WIDENED = 20


def find_unique_change(before: str, after: str) -> Replacement:
    """Return a short replacement that makes `after` of `before`, whose text is there only once."""
    prefix = _count_same(before, after)
    most = min(len(before), len(after)) - prefix
    suffix = _count_same(before[::-1][:most], after[::-1][:most])
    while True:
        replacement = Replacement(
            find=before[prefix : len(before) - suffix], replace=after[prefix : len(after) - suffix]
        )
        if replacement.is_single_change(before, after):
            return replacement
        if not prefix and not suffix:
            return replacement
        prefix, suffix = max(0, prefix - _WIDENED), max(0, suffix - _WIDENED)


def _count_same(one: str, two: str) -> int:
    """Return the number of characters at the start that are the same."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(two)))


def _replace_spans(payload: str, spans: Sequence[Span]) -> str:
    parts, end = [], 0
    for span in spans:
        parts += [payload[end : span.start], span.new]
        end = span.end
    return "".join([*parts, payload[end:]])
