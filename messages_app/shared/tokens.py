"""
Splits XML and JSON into tokens without building a tree, so that any part of any text can be laid out.

The tokens of any text add up to the text. Nothing is rejected, resolved or followed, and the time is
proportional to the length (docs/contributing/spec/bad_input.md, X20 to X28).
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """The kind of a token. Addresses have these values, for a piece of text that begins within a token."""

    TEXT = "text"
    START = "start"
    EMPTY = "empty"
    END = "end"
    COMMENT = "comment"
    INSTRUCTION = "instruction"
    CDATA = "cdata"
    OPEN = "open"
    CLOSE = "close"
    COMMA = "comma"
    COLON = "colon"
    STRING = "string"
    KEY = "key"
    VALUE = "value"


# A member of an enumeration takes longer to find by its value than a token takes to find.
_KINDS = {kind.value: kind for kind in Kind}


class Token(NamedTuple):
    """One token. `start` is its offset in characters; `is_whole` is true if its end was found."""

    kind: Kind
    text: str
    start: int
    is_whole: bool = True


# Possessive where a text could cause backtracking. An unclosed token takes the rest of the text.
_XML = re.compile(
    r"""
    (?P<comment><!--(?:.*?(?P<closed_comment>-->)|.*))
    |(?P<cdata><!\[CDATA\[(?:.*?(?P<closed_cdata>\]\]>)|.*))
    |(?P<instruction><\?(?:.*?(?P<closed_instruction>\?>)|.*)|(?P<closed_declaration><![^<>]*+>))
    |(?P<end></[^<>]*+>)
    |(?P<start><[^\s<>!?/](?:[^<>"']|"[^"]*"|'[^']*')*+>)
    |(?P<cut><[^<>]*+\Z)
    |(?P<text>[^<]++|<+(?=<)|<)
    """,
    re.VERBOSE | re.DOTALL,
)
_JSON = re.compile(
    r"""
    (?P<string>"(?:[^"\\]++|\\.)*+(?P<closed_string>")?)
    |(?P<open>[{\[])
    |(?P<close>[}\]])
    |(?P<comma>,)
    |(?P<colon>:)
    |(?P<text>\s++)
    |(?P<value>[^\s{}\[\],:"]++)
    """,
    re.VERBOSE | re.DOTALL,
)
# The end of a token that the text begins within.
_ENDS = {
    Kind.COMMENT: re.compile("-->"),
    Kind.CDATA: re.compile("]]>"),
    Kind.INSTRUCTION: re.compile(r"\?>"),
    Kind.START: re.compile(">"),
    Kind.END: re.compile(">"),
    Kind.STRING: re.compile(r'(?:[^"\\]++|\\.)*+"', re.DOTALL),
}
CONTINUED = frozenset(_ENDS)


def xml_tokens(text: str, *, inside: Kind | None = None) -> Iterator[Token]:
    """
    Yield the tokens of `text`.

    Args:
        inside: the kind of token, one of CONTINUED, that `text` begins within.
    """
    head = _rest_of_token(text, inside)
    if head:
        yield head
    for match in _XML.finditer(text, len(head.text) if head else 0):
        yield _xml_token(match)


def _xml_token(match: re.Match[str]) -> Token:
    kind, text = match.lastgroup or "", match.group()
    if kind == "cut":
        return Token(Kind.END if text.startswith("</") else Kind.START, text, match.start(), False)
    if kind == "start" and text.endswith("/>"):
        kind = "empty"
    if kind in {"comment", "cdata", "instruction"}:
        is_whole = bool(match[f"closed_{kind}"] or match["closed_declaration"])
        return Token(_KINDS[kind], text, match.start(), is_whole)
    return Token(_KINDS[kind], text, match.start(), kind != "text")


def json_tokens(text: str, *, inside: Kind | None = None) -> Iterator[Token]:
    """Yield the tokens of `text`, like `xml_tokens`. Whitespace between tokens is TEXT; names are KEY."""
    head = _rest_of_token(text, inside)
    tokens = map(_json_token, _JSON.finditer(text, len(head.text) if head else 0))
    if head:
        yield head
    string = None
    for token in tokens:
        if string:
            yield string._replace(kind=Kind.KEY) if token.kind is Kind.COLON else string
        string = token if token.kind is Kind.STRING else None
        if not string:
            yield token
    if string:
        yield string


def _json_token(match: re.Match[str]) -> Token:
    kind = _KINDS[match.lastgroup or ""]
    whole = match["closed_string"] is not None if kind is Kind.STRING else kind is not Kind.VALUE
    return Token(kind, match.group(), match.start(), whole)


def _rest_of_token(text: str, inside: Kind | None) -> Token | None:
    """Return the rest of the token that `text` begins within."""
    if inside is None or not text:
        return None
    end = _ENDS[inside].match(text) if inside is Kind.STRING else _ENDS[inside].search(text)
    return Token(inside, text[: end.end()] if end else text, 0, end is not None)
