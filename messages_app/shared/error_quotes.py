"""
Quoted texts in error texts: names of fields, columns and types are kept, values are replaced by an ellipsis.

Source: docs/reference/failure_groups.md, "What is kept".
"""

import re

from messages_app.shared.error_hosts import host_of_word, is_file
from messages_app.shared.error_words import (
    BUSINESS_NOUNS,
    CODE_WORDS,
    CODED_NOUNS,
    TECHNICAL_NOUNS,
    VALUE_NOUNS,
)

_QUOTED = re.compile(
    r"""(?<![\w.])'([^'\n]*)'(?!\w)|"([^"\n]*)"|`([^`\n]*)`"""
    r"""|„([^“”\n]*)[“”]|“([^”\n]*)”|«([^»\n]*)»|»([^«\n]*)«"""
)
_MARKS = re.compile("['\"`„“«»]")
_NOUN = re.compile(r"(?:([\w-]{1,40}) )?\b([\w-]{1,40})\W{0,20}$")
_FOLLOWING = re.compile(r"\W{0,9}(\w{1,40}(?: \w{1,40}){0,4})")
# The last part of a German noun says what it is: Pflichtfeld, Kopfsegment.
_GERMAN_NOUNS = ("feld", "spalte", "tabelle", "segment", "attribut")
_VALUE = "is a value"
# The type of one of these is a kind of data, not a value.
KINDS_OF_DATA = frozenset({"document", "entry", "item", "object", "record", "transaction"})
# "price" is required, "price" must not be blank.
_OF_FIELDS = frozenset(
    {"required", "mandatory", "missing", "blank", "empty", "null", "obligatory", "obsolete"}
)
_VERBS = ("is", "ist", "was", "are", "must", "may", "cannot", "can", "should")
# In quotes there may be a sentence: ("no queue 'orders'", 404). Names have few such words.
_WORD_OF_SENTENCE = re.compile(r"(?<!\S)[a-z]{2,20}(?!\S)")
# The noun is within this many characters before the quote.
_NEAR = 40
# A type of a program: java.time.LocalDate, NoneType.
_TYPE = re.compile(r"(?:[a-z]\w*\.)+[A-Z]\w*(?:\.\w+)*(?:\(\))?|NoneType|null|true|false")
# A name in a program, such as that of a field, in contrast to a value: no capital at its beginning, no digit.
_IDENTIFIER = re.compile(r"[a-z_$.][A-Za-z_.:$()-]*")
# A name in SQL with the one of its schema or table: HUB.ORDERS.
_SQL_NAME = re.compile(r"(?:[A-Z_][A-Z_$]{0,60}\d{0,3}\.){1,3}[A-Z_][A-Z_$]{0,60}\d{0,3}")
_PATH_OF_FIELD = re.compile(r"[$A-Za-z_][\w.]{0,100}\[\d+\][\w.\[\]]{0,100}|[$#][./][\w.\[\]/]{1,100}")
_NAMESPACE = re.compile(r'"[^"]*":')
_INDEX = re.compile(r"\[\d+\]|(?<=/)\d+(?=/|$)")


def replace_quotes(text: str) -> str:
    """Return a text in which quoted values are an ellipsis, and quoted names one word in double quotes."""
    return _QUOTED.sub(_replace_quote, text.replace('"."', ".")) if _MARKS.search(text) else text


def _replace_quote(match: re.Match[str]) -> str:
    value = match[match.lastindex or 0]
    if value.count(" ") > 2 and len(_WORD_OF_SENTENCE.findall(value)) > 2:
        return f" {replace_quotes(value)} "
    before = _NOUN.search(match.string, max(match.start() - _NEAR, 0), match.start())
    earlier, noun = ((before[1] or "").lower(), before[2].lower()) if before else ("", "")
    if noun and match.string[match.start() - 1] == "[":  # a field: order["date"]
        return f'"{value}"'
    following = _FOLLOWING.match(match.string, match.end())
    name = _kept_name(value, earlier, noun, _noun_behind(following[1].lower().split()) if following else "")
    return f" {name or '…'} "


def is_of_one(owner: str, noun: str) -> bool:
    """Return whether the code or the type of something is a value: of a country, but not of a record."""
    return owner in CODED_NOUNS or (
        owner in BUSINESS_NOUNS and not (noun == "type" and owner in KINDS_OF_DATA)
    )


def _noun_behind(words: list[str]) -> str:
    """Return the first word behind a quote, or what it is: 'id' is a property, 'x' is not a value."""
    if words[0] not in _VERBS:
        return words[0]
    nouns = (word for word in words if word in TECHNICAL_NOUNS or word in VALUE_NOUNS)
    if not _OF_FIELDS.isdisjoint(words):
        return "field"
    noun = next(nouns, words[0])
    return _VALUE if noun in VALUE_NOUNS else noun


def _kept_name(value: str, earlier: str, noun: str, following: str) -> str:
    """Return a quoted text as one word if the words around it say that it is technical; otherwise nothing."""
    if noun in VALUE_NOUNS or (not noun and following in ("is", "ist")):
        return ""
    if following == _VALUE and noun not in TECHNICAL_NOUNS:
        return ""
    if noun in ("code", "type") and is_of_one(earlier, noun):
        return ""
    is_list = value[:1] in "[{" and value[-1:] in "]}"
    is_technical = (
        noun in TECHNICAL_NOUNS
        or noun.endswith(_GERMAN_NOUNS)
        or noun in CODE_WORDS
        or following in TECHNICAL_NOUNS
    )
    if is_technical or is_list or _TYPE.fullmatch(value):
        return f'"{_plain_name(value)}"'
    if _PATH_OF_FIELD.fullmatch(value):
        return f'"{_plain_name(value)}"'
    if _SQL_NAME.fullmatch(value) and not is_file(value):
        return f'"{value}"'
    if noun in BUSINESS_NOUNS and noun != "key":
        return ""
    return host_of_word(value) or (f'"{value}"' if _IDENTIFIER.fullmatch(value) else "")


def _plain_name(value: str) -> str:
    """Return a name, or a list of names, without spaces, namespaces and indexes."""
    value = _INDEX.sub("", _NAMESPACE.sub("", value.strip()))
    if value[:1] == "{" and "," not in value:
        value = value.strip("{}")
    return re.sub(r",\s*", ",", value).replace(" ", "_")
