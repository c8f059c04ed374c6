"""
The cause of an error text in words: its title, and the identity of its failure group.

One function reads a text, for the groups of failures, for their titles, and for Spark's executors.

Source: docs/failure_groups.md; docs/decisions/0009-failure-groups.md.
"""

import re

from messages_app.shared.error_bodies import Body, read_body
from messages_app.shared.error_causes import describe_known
from messages_app.shared.error_excerpts import (
    Excerpt,
    cut_excerpt,
    shorten_error,
    split_error_name,
    split_hub_code,
)
from messages_app.shared.error_phrases import plain_words, words_of_class, words_of_code
from messages_app.shared.error_slots import SLOT, replace_ids
from messages_app.shared.error_statuses import describe_status

LONGEST, LONGEST_TITLE = 500, 160
# A message in a body may have a body, but no more than this.
_DEPTH = 3
_ONE_NAME = re.compile(r"[\"']([A-Za-z_][A-Za-z_.]{0,60})[\"']")
# The rule of a validator in brackets, such as [PEPPOL-EN16931-R010]-.
_RULE = re.compile(r"\[([A-Z]{2,20}(?:-[A-Z]{1,12}\d{0,5}){0,4}-[A-Z]{0,3}\d{1,3})\]\s?[-:]?\s?")
_LEADING_CODE = re.compile(r"(cvc-[\w.-]{1,60}|[A-Z]{2,8}-?\d{3,5}[A-Z]?): ")
# Databases append the place in a statement or in a procedure, rows and keys.
_DETAILS = re.compile(
    r"\s(?:ORA-06512: |(?:Detail|DETAIL|Hint|HINT|Position|Where|CONTEXT|STATEMENT): |LINE \d+: )"
)
_LETTERS = re.compile(r"[^\W\d_]{2}")


def describe_cause(text: str | None) -> str:
    """
    Return the cause in words: equal for texts with one cause, different for others.

    Ids, numbers, times and names in slots are an ellipsis. Up to LONGEST characters; empty without a text.
    """
    return _describe(replace_ids(shorten_error(text or "")), _DEPTH)[:LONGEST]


def title_of(text: str | None) -> str:
    """Return the title of an error text: a line of up to LONGEST_TITLE characters, without classes."""
    return title_of_cause(describe_cause(text))


def title_of_cause(cause: str) -> str:
    """Return the title of a described cause, without the hub's code."""
    _, title = split_hub_code(cause)
    title = " ".join(title.split()).strip(" :;,.")
    if len(title) > LONGEST_TITLE:
        title = title[: LONGEST_TITLE - 1].rpartition(" ")[0].rstrip(" :;,.") + SLOT
    first = title.partition(" ")[0].strip(":,")
    # Names of fields and hosts are left as they are.
    return title[:1].upper() + title[1:] if first.isalpha() and first.islower() else title


def _describe(text: str, depth: int) -> str:
    excerpt = cut_excerpt(text)
    body = read_body(excerpt.message)
    if body is not None:
        return _describe_body(body, excerpt, depth)
    code = "" if excerpt.outer else split_hub_code(excerpt.message)[0]
    described = describe_known(excerpt) or describe_status(excerpt.message) or _describe_text(excerpt)
    return described if not code or described.startswith(code) else f"{code} {described}"


def _describe_body(body: Body, excerpt: Excerpt, depth: int) -> str:
    """Return what a body says, then the status of HTTP and the host: "Account closed (HTTP 422)"."""
    text = ""
    if body.text:
        text = _describe(body.text, depth - 1) if depth else plain_words(body.text)
    codes = ", ".join(map(words_of_code, body.codes))
    known = ": ".join(filter(None, (codes, ", ".join(body.fields))))
    words = f"{text} ({known})" if text and known else text or known
    outer = f"{split_error_name(body.before)[1]} {excerpt.outer}".strip()
    status = describe_status(outer, body.status)
    if not status or not words:
        return words or status
    _, mark, rest = status.partition("(HTTP ")
    if not mark or mark in words:
        return words if words.startswith(status) else f"{status}: {words}"
    return f"{words} {mark}{rest}"


def _describe_text(excerpt: Excerpt) -> str:
    """Return a text that the table of causes does not have, without what differs between messages."""
    message = excerpt.message
    if key := _ONE_NAME.fullmatch(message):  # that a program in Python does not find
        message = key[1]
    message = _DETAILS.split(message, maxsplit=1)[0] or message
    if rule := _RULE.match(message):
        return f"{plain_words(message[rule.end() :])} ({rule[1]})"
    plain = plain_words(message)
    if code := _LEADING_CODE.match(plain):
        return f"{plain[code.end() :].rstrip('.')} ({code[1]})"
    words = [word for word in plain.split() if _LETTERS.search(word)]
    if len(words) >= 2 or not excerpt.error_name:
        return plain
    name = words_of_class(excerpt.error_name)
    if words and plain != "null":
        return f"{name}: {plain}"
    return f"{name} in {excerpt.place}" if excerpt.place else name
