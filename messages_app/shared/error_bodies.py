"""
The body of an answer in an error text: the codes, fields and messages of JSON, SOAP, XML and HTML.

Source: docs/reference/failure_groups.md, "Bodies of answers".
"""

import re
from dataclasses import dataclass, field

from messages_app.shared.error_keys import Says, read_key
from messages_app.shared.error_words import GENERIC_CODES, GENERIC_WORDS, TEXT_KEYS

_PAIR = re.compile(
    r"""["']([\w.@-]{1,60})["']\s{0,5}[:=]\s{0,5}"""
    r"""(?:"((?:[^"\\]|\\.){0,600})|'((?:[^'\\]|\\.){0,600})|(-?\d{1,12})\b|\[\s{0,3}"([^"]{1,100})")"""
)
_ELEMENT = re.compile(r"<(?:[\w.-]{1,40}:)?([\w.-]{1,60})(?:\s[^<>]{0,300})?>([^<]{1,600})")
_CODE_ATTRIBUTE = re.compile(r"""(?<=\s)((?:[a-z]{1,20}_?)?[cC]ode)=["']([\w.:-]{1,60})["']""")
_MARKUP = re.compile(r"<(?:[!?]|[\w.-]{1,40}[\s:/>])")
_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}|\\.")
_WORD_OF_CODE = re.compile(r"[A-Za-z][a-z]+|[A-Z]+")
_INDEX = re.compile(r"\[\d*\]|(?<=[/.])\d+(?=[/.]|$)")
_STATUS = range(100, 600)


@dataclass(frozen=True)
class Body:
    """
    The content of the body of an answer.

    Attributes:
        before: the text before the body.
        status: the status of HTTP that it names, or None.
        codes: its codes, without the ones of many causes unless it has nothing else.
        fields: names of fields, without indexes.
        text: its messages, if no code names the cause.
    """

    before: str
    status: int | None = None
    codes: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    text: str = ""


def read_body(text: str) -> Body | None:
    """Return the body in a text, which may be cut at its end; None if it has none."""
    place = text.find("{")
    if place >= 0 and (pairs := _read_pairs(text[place:])):
        return _sum_up(text[:place], pairs)
    markup = _MARKUP.search(text) if "<" in text else None
    if markup is None:
        return None
    elements = [(_key_of(name), value.strip()) for name, value in _ELEMENT.findall(text, markup.start())]
    elements += _CODE_ATTRIBUTE.findall(text, markup.start())
    elements = [each for each in elements if each[1] and read_key(each[0]) is not Says.NOTHING]
    if "<html" in text.lower() and (title := [each for each in elements if each[0].lower() == "title"]):
        elements = title
    return _sum_up(text[: markup.start()], elements) if elements else None


def _key_of(element: str) -> str:
    """Return the key of an element: SOAP 1.2 has its codes in elements Value."""
    return "code" if element == "Value" else element


def _read_pairs(text: str) -> list[tuple[str, str]]:
    pairs = []
    for match in _PAIR.finditer(text):
        key, *values = match.groups()
        value = next((each for each in values if each is not None), "")
        pairs.append((key, _ESCAPE.sub(" ", value).strip()))
        if values[-1] and " " in value and read_key(key) is Says.NOTHING:
            # A list of sentences about a field: {"email": ["is not valid"]}.
            pairs += [("field", key), ("message", value)]
    return pairs if any(read_key(key) in (Says.CODE, Says.TEXT) for key, _ in pairs) else []


def _sum_up(before: str, pairs: list[tuple[str, str]]) -> Body:
    status: int | None = None
    codes: list[str] = []
    generic_codes: list[str] = []
    fields: list[str] = []
    texts: list[str] = []
    keys = {key.lower() for key, _ in pairs}
    is_path_of_field = keys.isdisjoint(("timestamp", "status"))  # otherwise it is the address of the request
    for key, value in pairs:
        says = read_key(key)
        is_path = is_path_of_field and key == "path" and bool(value)
        if is_path or (says is Says.FIELD and not value.isdecimal()):
            fields.append(_INDEX.sub("", value))
        elif says is Says.CODE and _is_status(value) and status in (None, int(value)):
            status = int(value)
        elif says is Says.CODE and _is_code(value):
            (generic_codes if value.lower() in GENERIC_CODES else codes).append(_short_code(value))
        elif value and (says is Says.TEXT or key.lower() in TEXT_KEYS):
            texts.append(value)
    codes = [code for code in dict.fromkeys(codes) if code.lower() not in GENERIC_CODES and code]
    text = "" if any(map(_is_telling, codes)) else " ".join(dict.fromkeys(texts))
    if not (codes or text or fields or status):
        codes = list(dict.fromkeys(generic_codes))
    return Body(before, status, sorted(codes), sorted(set(fields)), text)


def _is_code(value: str) -> bool:
    return 0 < len(value) <= 100 and not re.search(r"\s", value)


def _is_status(value: str) -> bool:
    return value.isdecimal() and len(value) == 3 and int(value) in _STATUS


def _short_code(value: str) -> str:
    """Return a code without its namespace: NoStock of m:NoStock and of https://errors.example/NoStock."""
    return value.rstrip("/").rpartition("/")[2] if "://" in value else value.rpartition(":")[2] or value


def _is_telling(code: str) -> bool:
    """Return whether a code says in words what happened, so that its message adds nothing."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", code)}
    return (
        not words <= GENERIC_WORDS
        and not re.search(r"\d", code)
        and sum(map(len, _WORD_OF_CODE.findall(code))) > 4
    )
