"""
Converts XML and JSON to a canonical form, in which equivalent texts have the same lines.

It ignores the order of attributes and members, prefixes (a namespace has one prefix for both texts),
whitespace between elements, CDATA, and values that differ between any two messages: times of the messages'
own processing, and the ids of the messages. It never ignores other values. A prefix within a value, as in
xsi:type, is kept.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from messages_app.payloads.comparison.ignored import MOMENT, Span
from messages_app.payloads.content_types import guess_type
from messages_app.payloads.masking import MASKED_ATTRIBUTES
from messages_app.shared.markup import JSON, XML
from messages_app.shared.xml_parsing import BLANKS, Unreadable, parse_xml

TIME_MARK = "[time]"

_INDENT = "  "
_XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
_MIN_MOMENT = 16
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
# JSON with deeper nesting is compared as stored.
_DEEPEST_JSON = 100


class TooDeep(Exception):
    """The JSON is nested too deeply for the canonical form."""


class Names:
    """The prefixes of namespaces: one for each, the same in every text whose names were collected."""

    def __init__(self) -> None:
        self.prefixes = {_XML_NAMESPACE: "xml"}
        self._taken = {"xml"}
        self._numbers: Counter[str] = Counter()
        self._has_plain = False

    def collect(self, root: etree._Element) -> None:
        """Choose prefixes for the namespaces of a text, if possible the text's own ones."""
        own = {namespace: prefix for prefix, namespace in root.nsmap.items() if prefix}
        collected: set[tuple[str, str | None] | str] = set()
        for node in root.iter(etree.Element):
            names: set[tuple[str, str | None] | str] = {(node.tag, node.prefix), *map(str, node.keys())}
            for name in names - collected:
                if isinstance(name, tuple):
                    self._collect_prefix(*name)
                else:
                    self._collect_of_attribute(name, own)
            collected |= names

    def _collect_prefix(self, name: str, prefix: str | None) -> None:
        namespace, _ = _split_name(name)
        if not namespace:
            # Otherwise, elements without a namespace would belong to the default namespace.
            self._give_up_default()
        elif namespace not in self.prefixes:
            self.prefixes[namespace] = self._free_prefix(prefix or "")

    def _collect_of_attribute(self, name: str, own: Mapping[str, str]) -> None:
        namespace, _ = _split_name(name)
        if namespace and not self.prefixes.get(namespace):
            self.prefixes[namespace] = self._free_prefix(own.get(namespace, "ns"))

    def _give_up_default(self) -> None:
        if self._has_plain:
            return
        self._has_plain = True
        self._taken.add("")
        for namespace, prefix in self.prefixes.items():
            if not prefix:
                self.prefixes[namespace] = self._free_prefix("ns")

    def _free_prefix(self, preferred: str) -> str:
        prefix = preferred
        while prefix in self._taken:
            self._numbers[preferred] += 1
            prefix = f"{preferred or 'ns'}{self._numbers[preferred]}"
        self._taken.add(prefix)
        return prefix

    def short_name(self, name: str) -> str:
        """Convert a name from {namespace}local to prefix:local."""
        namespace, local = _split_name(name)
        prefix = self.prefixes[namespace] if namespace else ""
        return f"{prefix}:{local}" if prefix else local

    def write_declarations(self, names: Iterable[str]) -> str:
        """Return the declarations of the namespaces of `names`, each after a space."""
        used = {_split_name(name)[0] for name in names} - {"", _XML_NAMESPACE}
        prefixes = sorted((self.prefixes[namespace], namespace) for namespace in used)
        return "".join(
            f' xmlns{":" if prefix else ""}{prefix}="{_escape_value(one)}"' for prefix, one in prefixes
        )


def _split_name(name: str) -> tuple[str, str]:
    """Split {namespace}local. The namespace may be empty."""
    if not name.startswith("{"):
        return "", name
    namespace, _, local = name[1:].partition("}")
    return namespace, local


@dataclass(frozen=True)
class Placeholders:
    """
    Replaces values that differ between any two messages by marks.

    Args:
        ids: the mark for each id of the message.
        span: the time of the message's processing. A time outside of it, such as a date of delivery, may be
            what is wrong with the message, so it is never replaced.
    """

    ids: Mapping[str, str] = field(default_factory=dict)
    span: Span | None = None

    def put(self, value: str) -> str:
        """Return a value with its times and ids replaced by marks."""
        if self.span and len(value) >= _MIN_MOMENT:
            value = MOMENT.sub(self._mark_time, value)
        for one, mark in self.ids.items():
            if one in value:
                value = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", mark, value)
        return value

    def _mark_time(self, match: re.Match[str]) -> str:
        return TIME_MARK if self.span and self.span.has_moment(match.group()) else match.group()


def canonical_lines(text: str, *, names: Names, placeholders: Placeholders) -> list[str] | None:
    """
    Return the lines of XML or JSON in canonical form, or None if the text is neither or not well-formed.

    Args:
        names: the collected names of this text and of the text to compare, if they are XML.
    """
    root = root_of(text)
    if root is not None:
        return _Writer(names, placeholders).write_document(root)
    if guess_type(text) != JSON:
        return None
    try:
        value = json.loads(
            text.lstrip(BLANKS), object_pairs_hook=_Members, parse_int=_Number, parse_float=_Number
        )
        return list(_json_lines(value, placeholders))
    except (ValueError, RecursionError, TooDeep):
        return None


def root_of(text: str) -> etree._Element | None:
    """Return the root of XML that has a canonical form; None for any other text."""
    if guess_type(text) != XML:
        return None
    try:
        root = parse_xml(text, size=len(text.encode()))
    except Unreadable:
        return None
    # Reading one attribute searches all attributes of the element, as for masking.
    is_costly = any(len(node.attrib) > MASKED_ATTRIBUTES for node in root.iter(etree.Element))
    return None if is_costly else root


def _escape_value(value: str) -> str:
    return value.translate(_ESCAPES)


class _Writer:
    """Writes an XML tree as lines. The canonical form of these lines is the same lines."""

    def __init__(self, names: Names, placeholders: Placeholders) -> None:
        self.names = names
        self.placeholders = placeholders
        self.lines: list[str] = []
        self._short: dict[str, str] = {}

    def write_document(self, root: etree._Element) -> list[str]:
        for node in [*root.itersiblings(preceding=True)][::-1]:
            self._write_node(node, 0)
        first = len(self.lines)
        self._write_node(root, 0)
        start = f"<{self._short_name(root.tag)}"
        declared = start + self.names.write_declarations(self._short)
        self.lines[first] = declared + self.lines[first].removeprefix(start)
        for node in root.itersiblings():
            self._write_node(node, 0)
        return self.lines

    def _write_node(self, node: etree._Element, depth: int) -> None:
        if not len(node) or _is_aside(node) or _is_mixed(node):
            self.lines.append(_INDENT * depth + self._on_one_line(node))
            return
        name = self._short_name(node.tag)
        self.lines.append(f"{_INDENT * depth}<{name}{self._write_attributes(node)}>")
        for child in node:
            self._write_node(child, depth + 1)
        self.lines.append(f"{_INDENT * depth}</{name}>")

    def _on_one_line(self, node: etree._Element) -> str:
        if _is_aside(node):
            text = etree.tostring(node, encoding="unicode", with_tail=False)
            return re.sub(r"\s+", " ", self.placeholders.put(text))
        name, text = self._short_name(node.tag), node.text or ""
        head = f"{name}{self._write_attributes(node)}"
        if not len(node):
            return f"<{head}>{self._write_value(text)}</{name}>" if _has_value(text) else f"<{head}/>"
        inside = "".join(self._on_one_line(child) + self._write_value(child.tail or "") for child in node)
        return f"<{head}>{self._write_value(text or '')}{inside}</{name}>"

    def _write_attributes(self, node: etree._Element) -> str:
        items = node.items()
        return "".join(
            sorted(f' {self._short_name(str(name))}="{self._write_value(str(text))}"' for name, text in items)
        )

    def _short_name(self, name: str) -> str:
        short = self._short.get(name)
        if short is None:
            short = self._short[name] = self.names.short_name(name)
        return short

    def _write_value(self, text: str) -> str:
        return self.placeholders.put(text).translate(_ESCAPES)


def _is_aside(node: etree._Element) -> bool:
    return not isinstance(node.tag, str)


def _is_mixed(node: etree._Element) -> bool:
    texts = (node.text, *(child.tail for child in node))
    return any(map(_has_value, texts))


def _has_value(text: str | None) -> bool:
    return bool(text and text.strip(BLANKS))


class _Members(list):
    """The members of a JSON object as (name, value), including repeated names."""


class _Number(str):
    """A JSON number as written in the text."""

    __slots__ = ()


def _json_lines(
    value: object, placeholders: Placeholders, *, name: str = "", depth: int = 0
) -> Iterator[str]:
    if depth > _DEEPEST_JSON:
        raise TooDeep
    indent = _INDENT * depth
    if not isinstance(value, list) or not value:
        yield f"{indent}{name}{_json_value(value, placeholders)}"
        return
    is_object = isinstance(value, _Members)
    yield f"{indent}{name}{'{' if is_object else '['}"
    for key, one in sorted(value, key=_key_of) if is_object else ((None, one) for one in value):
        label = "" if key is None else f"{_json_text(key)}: "
        yield from _json_lines(one, placeholders, name=label, depth=depth + 1)
    yield f"{indent}{'}' if is_object else ']'}"


def _key_of(member: tuple[str, object]) -> str:
    return member[0]


def _json_value(value: object, placeholders: Placeholders) -> str:
    if isinstance(value, list):
        return "{}" if isinstance(value, _Members) else "[]"
    if isinstance(value, _Number):
        return placeholders.put(value)
    if isinstance(value, str):
        return _json_text(placeholders.put(value))
    return json.dumps(value)


def _json_text(text: str) -> str:
    """Return a JSON string. Half of a surrogate pair, which cannot be sent, is an escape in it."""
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
