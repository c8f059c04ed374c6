"""
Replaces by an ellipsis what differs between messages with one cause: ids, numbers, times, names in slots.

Each word is judged once, with the two words before it, so the time is linear. Digits are judged by their
number and place, never by their value (KnownFailures).

Source: docs/reference/failure_groups.md, "What is kept".
"""

import re
from functools import lru_cache
from typing import NamedTuple

from messages_app.shared.error_hosts import URL, host_of_word, plain_url
from messages_app.shared.error_keys import Says, read_key
from messages_app.shared.error_quotes import KINDS_OF_DATA, is_of_one, replace_quotes
from messages_app.shared.error_words import (
    BUSINESS_NOUNS,
    CODE_WORDS,
    COMMON_WORDS,
    CURRENCIES,
    DAYS,
    GERMAN_WORDS,
    LEGAL_FORMS,
    NOT_NAMES,
    PERSON_NOUNS,
    TECHNICAL_NOUNS,
    UNITS,
    VALUE_NOUNS,
)

SLOT = "…"

_MACHINE_ID = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16,}\b|@[0-9a-f]{4,16}\b(?![.-])"
    r"|\b(?:[0-9a-f]{2}:){3,40}[0-9a-f]{2}\b|\bSHA(?:1|256):[\w+/]{16,64}=?",
    re.IGNORECASE,
)
# The id of an object behind its kind: Exchange[ID-host-1].
_IN_BRACKETS = re.compile(r"(?<=[a-z])\[[^\[\]\s]{0,100}[-#@][^\[\]\s]{0,100}\]")
_DAYS = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
_MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_MONTH_OR_DAY = re.compile(rf"\b(?:{_MONTHS}[., -]|{_DAYS},? )")
# Dates in words: Fri May 01 10:10:10 CET 2026, 1 May 2026, May 1, 2026.
_DATE = re.compile(
    rf"(?:\b{_DAYS},? )?(?:\b\d{{1,2}}[. -]{{1,2}}{_MONTHS}|\b{_MONTHS}\.? \d{{1,2}})\b"
    r"(?:,?[ -]\d{2,4}\b)?(?:,? \d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?)?(?: [A-Z]{3,4}\b)?(?: \d{4}\b)?"
)
_CONSTANT = re.compile(r"(?<=[\w$])\.[A-Z][A-Z0-9_]{0,100}\b(?![\w.])")
_REJECTED = re.compile(r"\bvalue \[[^\[\]]{0,200}\](?:; codes \[[^\[\]]{0,600}\])?")
_PIECE = re.compile(r"\S+")
_BEFORE, _AFTER = "([{<,;:!?=|", ")]}>.,;:!?|"
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:->.*)?")
# Codes of databases, brokers, validators and fields of HL7: the same for all messages.
_CODE = re.compile(
    r"""(?:ORA|TNS|PLS|SQL|SQ|IMP|KUP|RMAN|OCI|JMS\w{0,4}|MQ\w{0,4}|AMQ|CWW\w{1,3}|SRVE|BEA|WSVR|WTRN|HV|HHH|HTTP
          |XPTY|FO[A-Z]{2}|XT[A-Z]{2}|IMS|DFH\w{1,2}|IEF|CEE|AK|IK|TA|KBA|AADSTS|SG|MSG|ERR|ERROR|E|SYS|TS|CS|CPF|SAP)
        [-_/]?\d[\d.]*[A-Z]?
      | SQLSTATE\[\w{5}\] | cvc-[\w.-]+ | [a-z]{1,20}-[a-z-]{1,40}\.\d[\w.-]* | \d\.\d\.\d | 0x8[0-9a-fA-F]{7}
      | (?:MSH|PID|PV\d|OB[RX]|ORC|NK\d|EVN|IN\d|AL\d|DG\d|NTE|FT\d|GT\d|SCH|TXA|MSA|ERR|PR\d|RX[ACDEO])
        [-.]\d{1,2}(?:\.\d{1,2})?""",
    re.VERBOSE,
)
# Words with digits that everyone knows, and segments of an IDoc.
_KNOWN = re.compile(
    r"""(?:utf|iso|us-ascii|hl|tls|tlsv|ssl|sslv|sha|hmac|md|aes|rsa|base|oauth|ipv|int|uint|float|http/?|soap|xml|json
          |varchar|nvarchar|win|cp|windows|latin|s|h|db|as|edi|d|saml|ec)-?v?\d[\d.-]*[a-z]?
      | v\d{1,2}(?:\.\d+)*
      | (?:[a-z]\w{0,60}\.){1,12}[a-z_]{3,60}\d{1,2} | [a-z]{1,4}\d[a-z] | [A-Z]\d[A-Z]{3}\d{2,3}""",
    re.VERBOSE | re.IGNORECASE,
)
# Of a segment of an acknowledgement (997) the codes are kept, but no positions, ids and copies of data.
_ACKNOWLEDGED = re.compile(r"((?:AK|IK)3\*\w*\*)\d*(.*)|((?:AK|IK)4(?:\*[^*]*){1,3}).*|((?:AK|IK)[59]\*.*)")
_CODE_IN_FRONT = re.compile(r"[A-Z]{1,4}-?\d{1,5}")
_PATH = re.compile(r"(?:[A-Za-z]:)?[/\\]\S*")
_POINTER = re.compile(
    r"[A-Za-z_][A-Za-z_.]{0,100}\[\d+\][A-Za-z_.]*|[#$/](?=\S*[A-Za-z])(?=\S*(?:\[\d+\]|/\d+(?:/|$)))\S*"
)
_MAIL = re.compile(r"[^\s@]+@[^\s@]+")
_INDEX = re.compile(r"\[\d+\]|(?<=/)\d+(?=/|$)|(?<=[A-Za-z_])\.\d+(?=\.[A-Za-z_])")
_MARKS_OF_KEY = "\"'<("
_MARKS = "()[]{}<>,.;:!?"
_NO_NAMES = NOT_NAMES | COMMON_WORDS
# They may join the parts of a name: "Huber & Sons".
# The codes of some of these, such as AT, are words as well.
_LANDS = frozenset({"country", "land", "language", "region", "state"})
# Deeds of persons: "locked by MILLER".
_DEEDS = frozenset({"changed", "edited", "held", "locked", "opened", "processed", "reserved", "used"})
_COPULAS = frozenset({"was", "is", "ist", "war"})
_REPLIES = frozenset(
    {"returned", "returns", "answered", "replied", "responded", "got", "received", "failed", "gave", "reply"}
)
_PREPOSITIONS = frozenset(
    {"after", "and", "at", "but", "by", "during", "for", "from", "in", "instead", "on", "to", "when", "while"}
)
# The name of a table, a column, a queue or a path in XML behind such a noun.
_NAME_WITH_DIGITS = re.compile(r"[A-Za-z_][\w.-]{0,80}|//?[A-Za-z][\w.:@/-]{0,200}")
_JOINTS = frozenset({"&", "+", "and", "und", "et", "y"})
# They may be a part of a name: "Alpha Bank".
_PARTS_OF_NAMES = frozenset({"bank", "payment", "partner", "product", "data"})
# The longest text that is read word by word.
_MAX_LENGTH = 900


class Word(NamedTuple):
    """
    A word without punctuation.

    Attributes:
        kind: "slot", "code", "word", "Name" or "NAME", without regard to its neighbours.
    """

    text: str
    lower: str
    kind: str


_NO_WORD = Word("", "", "word")


def replace_ids(text: str) -> str:
    """Return a text without UUIDs, hashes and addresses of objects."""
    return _MACHINE_ID.sub(SLOT, text)


def replace_slots(text: str) -> str:
    """Return a text in which slots are an ellipsis, and hosts have no ports."""
    text = text[:_MAX_LENGTH]
    if "://" in text:
        text = URL.sub(plain_url, text)
    if _MONTH_OR_DAY.search(text):
        text = _DATE.sub(SLOT, text)
    if "enum constant " in text:
        text = _CONSTANT.sub(SLOT, text)
    if "[" in text:
        text = _REJECTED.sub(f"value {SLOT}", text)
        text = _IN_BRACKETS.sub(f" {SLOT}", text)
    return _join_pieces(_judge_words(replace_quotes(text)))


def _judge_words(text: str) -> list[str]:
    """Return the words of a text, in which slots are an ellipsis."""
    words = [_read_piece(piece) for piece in _PIECE.findall(text)]
    plain = [word.kind for _, word, _ in words if word.kind in ("word", "Name", "NAME")]
    is_title = "word" not in plain
    has_capitals = (
        plain.count("Name") * 2 > len(plain)
        or "ß" in text
        or any(word.lower in GERMAN_WORDS for _, word, _ in words)
    )
    plain_words: list[str] = []
    previous = earlier = _NO_WORD
    is_told = False
    is_run, starts = False, True
    for place, (before, word, after) in enumerate(words):
        if word.kind == "slot":
            following = words[place + 1][1].text if place + 1 < len(words) else ""
            is_slot = not _is_code(word, previous, earlier, following=following, after=after, starts=starts)
        elif is_told and previous.lower in VALUE_NOUNS and (after or place + 1 == len(words)):
            is_slot = word.kind != "code"  # "not a number: abc"
        elif is_run and word.lower in LEGAL_FORMS:
            is_slot, after = True, after.replace(".", "", 1)
        elif is_run and word.text in _JOINTS:
            is_slot = words[place + 1 : place + 2] != [] and words[place + 1][1].kind == "Name"
        elif is_run and word.kind in ("Name", "NAME"):
            is_slot = word.lower not in NOT_NAMES or word.lower in _PARTS_OF_NAMES
        else:
            is_slot = _is_name(
                word, previous, earlier, is_title=is_title, may_be_bare=not (starts or has_capitals)
            )
        plain_words.append(f"{before}{SLOT if is_slot else _plain_word(word)}{after}")
        is_run = (
            is_slot
            and (word.kind != "word" or word.text in _JOINTS)
            and (
                not after or (after == "," and word.kind == "Name") or (after == "." and len(word.text) == 1)
            )
        )
        if word.text and not is_run:
            previous, earlier = word, previous
        is_told = after == ":"
        starts = after[-1:] in (".", ":", "!", "?") or (starts and not word.text)
    return plain_words


def _is_code(word: Word, previous: Word, earlier: Word, *, following: str, after: str, starts: bool) -> bool:
    """Return whether a number or a word with digits is a code, by the words before it or its place."""
    noun = previous.lower
    if noun in _COPULAS:
        previous, noun = earlier, earlier.lower
    if noun in TECHNICAL_NOUNS and _NAME_WITH_DIGITS.fullmatch(word.text):
        return True
    if len(word.text) == 3 and word.text.isdecimal() and (noun in _REPLIES or earlier.lower in _REPLIES):
        # The status of an answer: "returned 404 for order 7", but not "returned 120 rows".
        return not following[:1].isalpha() or bool(after) or following.lower() in _PREPOSITIONS
    if noun == "with" and earlier.lower in ("exited", "ended"):
        return True
    if noun == "type" and earlier.lower in KINDS_OF_DATA and len(word.text) < 5:
        return True
    if noun == "number" and earlier.lower in CODE_WORDS:
        return True
    if noun in CODE_WORDS:
        # Not the code of a country or of a unit.
        is_of_business = is_of_one(earlier.lower, noun) or earlier.lower in (
            "for",
            "of",
            "für",
        )
        return not (noun in ("code", "type") and is_of_business) and not _ADDRESS.fullmatch(word.text)
    if noun == "data" and earlier.lower == "error":  # of Active Directory
        return True
    if noun in ("tag", "element", "field", "component", "feld") and len(word.text) < 8:
        return True
    is_reply = following[:1].isupper() or bool(_CODE.fullmatch(following))
    if starts and not previous.text and is_reply and len(word.text) == 3:
        return word.text.isdecimal()  # a reply of FTP or SMTP
    return starts and after[:1] == ":" and bool(_CODE_IN_FRONT.fullmatch(word.text))


def _is_name(word: Word, previous: Word, earlier: Word, *, is_title: bool, may_be_bare: bool) -> bool:
    """Return whether a word is the name of a customer, a user or another slot."""
    noun = previous.lower
    if word.kind == "code" or noun in TECHNICAL_NOUNS or noun in CODE_WORDS:
        return False
    if noun == "by" and earlier.lower in _DEEDS and word.kind == "NAME":
        return True
    if word.kind == "word":
        return noun in PERSON_NOUNS and word.lower not in COMMON_WORDS and word.text.isalpha()
    if word.lower in (CURRENCIES if word.kind == "NAME" else DAYS):
        return not is_title
    if noun in _LANDS and len(word.text) == 2:
        return not is_title
    if noun in BUSINESS_NOUNS:
        return word.lower not in _NO_NAMES and not (is_title and word.kind == "Name")
    if not may_be_bare or word.kind != "Name" or previous.kind != "word":
        return False
    return word.lower not in NOT_NAMES and word.lower not in BUSINESS_NOUNS


def _plain_word(word: Word) -> str:
    """Return a word without the port of a host, the index of a field and values of keys."""
    text = word.text
    if word.kind != "code":
        return text
    if "=" in text:
        key, _, value = text.partition("=")
        says = read_key(key.strip(_MARKS_OF_KEY).rpartition("(")[2])
        is_told = says in (Says.CODE, Says.FIELD) and value
        is_word = says is Says.TEXT and value.replace("_", "").isalpha()
        return text if is_told or is_word else f"{key}={SLOT}"
    if "*" in text and (match := _ACKNOWLEDGED.fullmatch(text)):
        return "".join(filter(None, match.groups()))
    text = _INDEX.sub("", text)
    return host_of_word(text) or text


@lru_cache(20_000)
def _read_piece(piece: str) -> tuple[str, Word, str]:
    """Split the punctuation around a word from it, and return its kind."""
    text = piece.lstrip(_BEFORE)
    before, text = piece[: len(piece) - len(text)], text.rstrip(_AFTER)
    after = piece[len(before) + len(text) :]
    if after.startswith("]") and "[" in text:
        text, after = f"{text}]", after[1:]
    return before, Word(text, text.lower(), _kind_of(text)), after


def _kind_of(text: str) -> str:
    if text == SLOT or not text:
        return "word"
    if text.startswith('"') or ("=" in text[1:-1] and not text.endswith("=")):
        return "code"
    if any(one.isdigit() for one in text):
        return "code" if _is_known_code(text) else "slot"
    if host_of_word(text):
        return "code"
    if text.endswith("=") or _MAIL.fullmatch(text) or _PATH.fullmatch(text):
        return "slot"
    if not text[0].isupper():
        return "word" if text.isalpha() or text[0].islower() else "code"
    letters = re.sub("[-'’&]", "", text)
    if not letters.isalpha():
        return "code"
    if text.isupper():
        return "NAME"
    return "Name" if sum(one.isupper() for one in text) <= 1 + len(text) - len(letters) else "code"


def _is_known_code(text: str) -> bool:
    """Return whether a word with digits is a code, the name of a host, or a path into a document."""
    patterns = (_ACKNOWLEDGED, _CODE, _KNOWN, _POINTER)
    return any(pattern.fullmatch(text) for pattern in patterns) or bool(host_of_word(text))


def _join_pieces(pieces: list[str]) -> str:
    """Join words by spaces; slots in a row, and units behind a slot, become one slot."""
    joined: list[str] = []
    for piece in pieces:
        bare = piece.strip(_MARKS)
        if joined and joined[-1].endswith(SLOT) and (bare == SLOT or bare.lower() in UNITS):
            joined[-1] += piece[len(piece.rstrip(_MARKS)) :]
        else:
            joined.append(piece)
    return " ".join(joined)
