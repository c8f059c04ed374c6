"""
Lays out XML and JSON for reading, piece by piece: indented lines with coloured parts. Values are unchanged.

A piece needs only its own text and the Place where it begins, so line 40 000 of 20 MB costs the same as line
1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from messages_app.payloads.segments import Format
from messages_app.shared.markup import JSON, XML
from messages_app.shared.tokens import CONTINUED, Kind, Token, json_tokens, xml_tokens

# The maximum size of a piece. Its markup is about four times as large.
PIECE_BYTES = 32 * 1024
PIECE_LINES = 1000

_INDENT = "  "
# Deeper nesting is not indented further, so that the text remains visible.
_DEEPEST_INDENT = 40

_VALUES_OF_XML = frozenset({Kind.TEXT, Kind.CDATA})


@dataclass(frozen=True, kw_only=True)
class Place:
    """
    The start of a piece.

    Args:
        offset: its offset in the stored text, in bytes.
        line: the number of its first line; None: not counted.
        depth: the nesting depth of its first line.
        inside: the kind of token, one of CONTINUED, if it begins within a token.
    """

    offset: int = 0
    line: int | None = 1
    depth: int = 0
    inside: Kind | None = None


class Line(NamedTuple):
    """One line: its nesting depth, its parts, including the indent, and the name of the segment it begins."""

    depth: int
    parts: list[tuple[Kind, str]]
    title: str = ""

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.parts)


@dataclass(frozen=True)
class Piece:
    """
    The lines of a text from `place` on, and the start of the next piece, or None at the end of the text.
    """

    place: Place
    lines: list[Line]
    next: Place | None


class _Step(NamedTuple):
    """A token in the layout. `line_depth` is the depth of its line; None: it continues the previous line."""

    token: Token
    line_depth: int | None
    depth_after: int
    is_left_out: bool = False
    title: str = ""


@dataclass
class _Sheet:
    """
    Collects the lines of a piece.

    Attributes:
        done: the number of characters of the text that are in the lines.
        depth, inside: the members of the Place after these characters.
    """

    depth: int
    inside: Kind | None
    step_in: int
    most_lines: int
    lines: list[Line] = field(default_factory=list)
    done: int = 0

    def take_step(self, step: _Step) -> bool:
        """Add a step, and return whether all of it fitted."""
        token = step.token
        if step.is_left_out:
            self.done = token.start + len(token.text)
            return True
        if step.line_depth is not None and not self._begin_line(
            step.line_depth, indent=step.line_depth, title=step.title
        ):
            return False
        added = self._add_token(token)
        self.done, self.depth = token.start + added, step.depth_after
        is_cut = added < len(token.text) or not token.is_whole
        self.inside = token.kind if is_cut and token.kind in CONTINUED else None
        return added == len(token.text)

    def _begin_line(self, depth: int, *, indent: int = 0, title: str = "") -> bool:
        if len(self.lines) >= self.most_lines:
            return False
        # A first line that continues a token has no indent.
        blanks = "" if self.inside and not self.lines else _INDENT * min(indent, _DEEPEST_INDENT)
        self.lines.append(Line(depth, [(Kind.TEXT, blanks)] if blanks else [], title))
        return True

    def _add_token(self, token: Token) -> int:
        """Add as many lines of the token as fit, and return the number of their characters."""
        done = 0
        depth = self.lines[-1].depth + self.step_in
        for number, line in enumerate(token.text.split("\n")):
            if number and not self._begin_line(depth):
                return done
            self.lines[-1].parts.append((token.kind, f"{line} " if token.kind is Kind.COLON else line))
            done += len(line) + 1
        return len(token.text)


def lay_out(
    text: str,
    place: Place,
    *,
    content_type: str,
    is_end: bool,
    most_lines: int = PIECE_LINES,
    segments: Format | None = None,
) -> Piece:
    """
    Return the lines of a piece.

    Args:
        text: the text at `place`, about PIECE_BYTES.
        content_type: XML or JSON; any other text keeps its line breaks.
        is_end: whether the stored text ends with `text`.
        segments: the format of the stored text, if it has segments; each begins a line.
    """
    steps = _segment_steps(text, segments) if segments else _STEPS.get(content_type, _raw_steps)(text, place)
    sheet = _Sheet(place.depth, place.inside, step_in=int(content_type in _STEPS), most_lines=most_lines)
    is_done = all(_is_of_this_piece(step.token, text, is_end) and sheet.take_step(step) for step in steps)
    if is_done and is_end:
        return Piece(place, sheet.lines, None)
    return Piece(place, sheet.lines, _place_after(sheet, place, text))


def _is_of_this_piece(token: Token, text: str, is_end: bool) -> bool:
    """
    Whether a token that may be cut belongs to this piece. It goes to the next one, unless this one is less
    than half full.
    """
    is_cut = not is_end and not token.is_whole and token.start + len(token.text) == len(text)
    return not is_cut or token.start < len(text) // 2


def _place_after(sheet: _Sheet, place: Place, text: str) -> Place:
    return Place(
        offset=place.offset + len(text[: sheet.done].encode()),
        line=None if place.line is None else place.line + len(sheet.lines),
        depth=sheet.depth,
        inside=sheet.inside,
    )


def _raw_steps(text: str, place: Place) -> Iterator[_Step]:
    if text:
        yield _Step(Token(Kind.TEXT, text, 0), 0, 0)


def _segment_steps(text: str, segments: Format) -> Iterator[_Step]:
    at = 0
    for segment in segments.split_segments(text):
        body, end = segment.text, segment.end
        if body:
            tag = body[: body.find(segment.tag) + len(segment.tag)] if segment.tag else ""
            if tag:
                yield _Step(Token(Kind.KEY, tag, at), 0, 0, title=segment.name)
            is_whole = at + len(body) < len(text)
            rest = Token(Kind.TEXT, body[len(tag) :], at + len(tag), is_whole)
            yield _Step(rest, None if tag else 0, 0)
        if end:
            yield _Step(Token(Kind.TEXT, end, at + len(body)), None, 0, is_left_out=True)
        at += len(body) + len(end)


def _xml_steps(text: str, place: Place) -> Iterator[_Step]:
    depth, before = place.depth, None
    for token in xml_tokens(text, inside=place.inside):
        if token.kind is Kind.TEXT and not token.text.strip(" \t\r\n"):
            yield _Step(token, None, depth, is_left_out=True)
            continue
        is_rest = place.inside is not None and token.start == 0
        if token.kind is Kind.END and not is_rest:
            depth = max(depth - 1, 0)
        line_depth = depth if _is_start_of_xml_line(token.kind, before) else None
        depth += _depth_change(token, is_rest)
        yield _Step(token, line_depth, depth)
        before = token.kind


def _depth_change(token: Token, is_rest: bool) -> int:
    """Return the change of the nesting depth by a token. The rest of a cut start tag may be self-closing."""
    if token.kind is not Kind.START:
        return 0
    if is_rest:
        return -1 if token.text.endswith("/>") else 0
    return 1


def _is_start_of_xml_line(kind: Kind, before: Kind | None) -> bool:
    if before is None:
        return True
    if kind in _VALUES_OF_XML or before in _VALUES_OF_XML:
        return False
    return not (kind is Kind.END and before is Kind.START)


def _json_steps(text: str, place: Place) -> Iterator[_Step]:
    depth, before = place.depth, None
    for token in json_tokens(text, inside=place.inside):
        if token.kind is Kind.TEXT:
            yield _Step(token, None, depth, is_left_out=True)
            continue
        if token.kind is Kind.CLOSE:
            depth = max(depth - 1, 0)
        line_depth = depth if _is_start_of_json_line(token.kind, before) else None
        depth += token.kind is Kind.OPEN
        yield _Step(token, line_depth, depth)
        before = token.kind


def _is_start_of_json_line(kind: Kind, before: Kind | None) -> bool:
    if before is None:
        return True
    if kind in {Kind.COMMA, Kind.COLON} or before is Kind.COLON:
        return False
    return not (kind is Kind.CLOSE and before is Kind.OPEN)


_STEPS = {XML: _xml_steps, JSON: _json_steps}
