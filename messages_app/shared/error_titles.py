"""
The cause of an error text in words: its title, and the identity of its failure group.

One function reads a text, for the groups of failures, for their titles, and for Spark's executors.

Source: docs/reference/failure_groups.md; docs/contributing/decisions/0009-failure-groups.md.
"""

import re

from messages_app.shared.error_acknowledgements import read_acknowledgement
from messages_app.shared.error_bodies import Body, read_body
from messages_app.shared.error_causes import describe_known
from messages_app.shared.error_codes import describe_code
from messages_app.shared.error_excerpts import (
    Excerpt,
    cut_excerpt,
    place_of,
    shorten_error,
    split_error_name,
    split_frames,
    split_hub_code,
)
from messages_app.shared.error_phrases import plain_words, words_of_class, words_of_code
from messages_app.shared.error_slots import SLOT, replace_ids
from messages_app.shared.error_statuses import describe_status

MAX_CAUSE_LENGTH, MAX_TITLE = 500, 160
# A message in a body may have a body, but no more than this.
_DEPTH = 3
_ONE_NAME = re.compile(r"[\"']([A-Za-z_][A-Za-z_.]{0,60})[\"']")
# The rule of a validator in brackets, such as [PEPPOL-EN16931-R010]-.
_RULE = re.compile(r"\[([A-Z]{2,20}(?:-[A-Z]{1,12}\d{0,5}){0,4}-[A-Z]{0,3}\d{1,3})\]\s?[-:]?\s?")
_NEAR = 200
# The arguments of an error of a database in Python: (1054, "Unknown column 'a' in 'field list'").
_ARGUMENTS = re.compile(r"""\((?:-?\d{1,9}|'\w{1,9}'), b?(['"])(.{4,1500})\1\)\s*$""")
_LEADING_CODE = re.compile(r"(cvc-[\w.-]{1,60}|[A-Z]{2,8}-?\d{3,5}[A-Z]?): ")
# Databases append the place in a statement or in a procedure, rows and keys.
_DETAILS = re.compile(
    r"\s(?:ORA-06512: |Failed validating |LINE \d+: |https?://(?:docs|learn|help|support)\."
    r"|(?:Detail|DETAIL|Hint|HINT|Position|POSITION|Where|CONTEXT|STATEMENT|ClientConnectionId): ?"
    r"|\([\w.$]{1,200} (?:and [\w.$]{1,200} are|is) in )"
)
_QUOTES = re.compile(r"['\"`„“”«»<>{}\[\]]|</")
_SEVERITY = re.compile(r"(?:ERROR|Error|FATAL|SEVERE|WARNING|FEHLER|Fehler|ERREUR|Erreur): {1,2}(?=\S)")
_NAMED_CODE = re.compile(r"\[([a-z]{2,30}(?:_[a-z]{2,30}){1,4})\] ")
_LETTERS = re.compile(r"[^\W\d_]{2}")


def describe_cause(text: str | None) -> str:
    """
    Return the cause in words: equal for texts with one cause, different for others.

    Ids, numbers, times and names in slots are an ellipsis. Up to MAX_CAUSE_LENGTH characters; empty without
    a text.
    """
    return describe_parts(*split_frames(shorten_error(text or "")))


def describe_parts(text: str, frames: str) -> str:
    """Return the cause in words of the two parts of `split_frames()`."""
    return _describe_excerpt(replace_ids(text), frames, _DEPTH)[:MAX_CAUSE_LENGTH]


def title_of(text: str | None) -> str:
    """Return the title of an error text: a line of up to MAX_TITLE characters, without classes."""
    return title_of_cause(describe_cause(text))


def title_of_cause(cause: str) -> str:
    """Return the title of a described cause, without the hub's code."""
    _, title = split_hub_code(cause)
    title = " ".join(title.split()).strip(" :;,.")
    if len(title) > MAX_TITLE:
        title = title[: MAX_TITLE - 1].rpartition(" ")[0].rstrip(" :;,.") + SLOT
    first = title.partition(" ")[0].strip(":,")
    # Names of fields and hosts are left as they are.
    return title[:1].upper() + title[1:] if first.isalpha() and first.islower() else title


def _describe_excerpt(text: str, frames: str, depth: int) -> str:
    if segments := read_acknowledgement(text):
        return segments
    excerpt = cut_excerpt(text, frames)
    body = read_body(excerpt.message)
    if body is not None and (described := _describe_body(body, excerpt, depth)):
        return described
    if described := describe_code(f"{excerpt.error_name}: {excerpt.message}"):
        return described
    code = "" if excerpt.outer else split_hub_code(excerpt.message)[0]
    described = describe_known(excerpt) or describe_status(excerpt.message) or _describe_text(excerpt)
    if not _LETTERS.search(described):
        described = _describe_all_names(excerpt) or described
    return described if not code or described.startswith(code) else f"{code} {described}"


def _describe_body(body: Body, excerpt: Excerpt, depth: int) -> str:
    """Return what a body says, then the status of HTTP and the host: "Account closed (HTTP 422)"."""
    text = ""
    if body.text:
        text = _describe_excerpt(body.text, "", depth - 1) if depth else plain_words(body.text)
    codes = ", ".join(map(words_of_code, body.codes))
    parts = ": ".join(filter(None, (codes, ", ".join(body.fields))))
    words = f"{text} ({parts})" if text and parts else text or parts
    outer = f"{split_error_name(body.before)[1]} {excerpt.outer}".strip()
    status = describe_status(outer, body.status)
    if not status or not words:
        return words or status
    name, mark, rest = status.partition("(HTTP ")
    if words.lower() == name.strip().lower():
        return status
    if not mark or mark in words:
        return words if words.startswith(status) else f"{status}: {words}"
    return f"{words} {mark}{rest}"


def _last_of_validator(message: str) -> str:
    """Return the message that names the element, of two about one value: cvc-datatype-valid, cvc-type."""
    place = (
        max(map(message.rfind, ("cvc-type.", "cvc-attribute.", "cvc-complex-type.")))
        if "cvc-" in message
        else 0
    )
    return message[place:] if place > 0 else message


def _describe_all_names(excerpt: Excerpt) -> str:
    """Return a text with its quotes: a text of nothing else says only a name."""
    return plain_words(_QUOTES.sub(" ", excerpt.message))


def _describe_text(excerpt: Excerpt) -> str:
    """Return a text that the table of causes does not have, without what differs between messages."""
    message = excerpt.message
    if arguments := _ARGUMENTS.match(message):
        message = arguments[2]
    if key := _ONE_NAME.fullmatch(message):  # that a program in Python does not find
        message = key[1]
    message = _SEVERITY.sub("", message, count=1) if _SEVERITY.match(message) else message
    message = _DETAILS.split(message, maxsplit=1)[0] or message
    message = _last_of_validator(message)
    if "[" in message and (rule := _RULE.search(message, 0, _NEAR)):
        return f"{plain_words(message[rule.end() :])} ({rule[1]})"
    if named := _NAMED_CODE.match(message):  # of OAuth
        return f"{plain_words(message[named.end() :])} ({words_of_code(named[1])})"
    plain = plain_words(message)
    if code := _LEADING_CODE.match(plain):
        return f"{plain[code.end() :].rstrip('.')} ({code[1]})"
    words = [word for word in plain.split() if _LETTERS.search(word)]
    if len(words) >= 2 or not excerpt.error_name:
        return plain
    name = words_of_class(excerpt.error_name)
    if words and plain != "null":
        return f"{name}: {plain}"
    place = place_of(excerpt.frames)
    return f"{name} in {place}" if place else name
