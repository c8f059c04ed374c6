"""Parts of error texts in plain words: without packages, names of classes and places in a document."""

import re
from functools import lru_cache

from messages_app.shared.error_slots import SLOT, replace_slots

_PACKAGE = re.compile(r"\b(?:[a-z_]\w{0,60}\.){1,12}(?=[A-Z])")
_ERROR_CLASS = re.compile(r"\b[A-Z]\w{0,60}?(?:Exception|Error|Fault)\b")
_CLASS_ENDING = re.compile(r"(?:Exception|Error|Fault)$")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_-]+")
# Where something is, and numbers of requests: (line 3, column 7).
_IN_BRACKETS = re.compile(r" ?[(\[<]([^()\[\]<>]{1,80})[)\]>]")
_OF_PLACES = frozenset(
    (
        *(
            "message",
            "position",
            "line",
            "column",
            "row",
            "at",
            "id",
            "request",
            "actual",
            "maximum",
            "attempt",
        ),
        *("code", "ref", "reference", "number", "correlation", "trace", "and", "of", "document", "file", "="),
    )
)
_PLACE_AT_END = re.compile(
    rf"""(?:,?\s(?:(?:at|on|in)\s)?(?:line|column|col|position|offset|row|char|character|index)\s{SLOT}
           |,?\s(?:after|since|within)\s{SLOT})+\.?$""",
    re.VERBOSE | re.IGNORECASE,
)
_LEADING = f"{SLOT}:"
_ENDS_OF_PLACE = (SLOT, f"{SLOT}.")
_PLACE = re.compile(
    r"[,(;]? ?\b(?:at |in |on )?[Ll]ine ?(?:[Nn]umber)?[:=]? ?\d{1,9}[,;]? ?(?:and )?"
    r"(?:[Cc]ol(?:umn)?|[Pp]os(?:ition)?|[Cc]haracter) ?(?:[Nn]umber)?[:=]? ?\d{1,9}\)?"
)
# The other fields of a class, in any order.
_KNOWN_FIELDS = re.compile(r" ?\(\S{1,9} known properties: [^)]*\)?")
# The head of a text in tools of SQL Server, whose number says the same as the text.
_HEAD_OF_SQL_SERVER = re.compile(
    r"^Msg \d{1,9}, Level \d{1,3}, State \d{1,3}(?:, (?:Server|Procedure|Line) [^,:]{1,80})*[:,]? (?=\w)"
)
_BEFORE_MARK = re.compile(r" ([.,;:)\]])")
# Better words for classes of errors whose text is only a name.
_NAMES = {"KeyError": "Missing key", "KeyNotFoundException": "Missing key", "NameError": "Unknown name"}


def plain_words(text: str) -> str:
    """Return a text without slots, packages, classes of errors and places, with single spaces."""
    # Most texts have none of these, and a search for a word is faster than one for a pattern.
    if text.startswith("Msg "):
        text = _HEAD_OF_SQL_SERVER.sub("", text)
    text = replace_slots(_PLACE.sub("", text) if "ine" in text else text)
    if "known properties" in text:
        text = _KNOWN_FIELDS.sub("", text)
    if "." in text:
        text = _PACKAGE.sub("", text)
    if "rror" in text or "Exception" in text or "Fault" in text:
        text = _ERROR_CLASS.sub(lambda match: words_of_class(match[0]), text)
    if "(" in text or "[" in text or "<" in text:
        text = " ".join(_IN_BRACKETS.sub(_without_places, text).split())
    text = _BEFORE_MARK.sub(r"\1", text).strip(" :;,")
    if text.startswith(_LEADING):
        text = text.lstrip(_LEADING + " -")
    return (_PLACE_AT_END.sub("", text) or text) if text.endswith(_ENDS_OF_PLACE) else text


def _without_places(match: re.Match[str]) -> str:
    """Return a text in brackets, or nothing if it is only a slot or a place."""
    words = match[1].replace(SLOT, " ").lower().split()
    is_place = SLOT in match[1] and all(
        word.strip(",:;#=<>") in _OF_PLACES or not word.strip(",:;#=<>") for word in words
    )
    return "" if is_place else match[0]


@lru_cache(1_000)
def words_of_class(name: str) -> str:
    """Return the words of a class of an error: "Order not met" of OrderNotMetException."""
    if name in _NAMES:
        return _NAMES[name]
    simple = name.rpartition("$")[2]
    return _as_sentence(_HUMPS.sub(" ", _CLASS_ENDING.sub("", simple) or simple).split()) or name


def words_of_code(code: str) -> str:
    """Return the words of a code such as ACCOUNT_CLOSED; codes with digits are left as they are."""
    if any(one.isdigit() for one in code) or "." in code or len(code) < 5:
        return code
    words = _HUMPS.sub(" ", code).split()
    return _as_sentence([word.lower() for word in words] if code.isupper() else words) or code


def _as_sentence(words: list[str]) -> str:
    """Return words with a capital at the beginning; abbreviations keep theirs."""
    plain = [word if len(word) > 1 and word.isupper() else word.lower() for word in words]
    return " ".join([plain[0][:1].upper() + plain[0][1:], *plain[1:]]) if plain else ""
