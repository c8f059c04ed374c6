import json
import random
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.payloads.comparison.canonical_form import Names, Placeholders, canonical_lines, root_of
from messages_app.payloads.comparison.ignored import Span

SPAN = Span(datetime(2026, 11, 1, 12, tzinfo=UTC), datetime(2026, 11, 1, 12, tzinfo=UTC))
NAMESPACES = ["urn:one", "urn:two", ""]
WORDS = st.text(alphabet="abž0 <&\"'\n", max_size=6)
ELEMENTS = st.recursive(
    st.tuples(st.sampled_from(NAMESPACES), st.dictionaries(st.sampled_from("xyz"), WORDS), WORDS),
    lambda one: st.tuples(
        st.sampled_from(NAMESPACES), st.dictionaries(st.sampled_from("xyz"), WORDS), st.lists(one, max_size=4)
    ),
    max_leaves=8,
)
JSON_LEAVES = st.booleans() | st.integers() | st.text(alphabet='ab"\\ž', max_size=5)
JSONS = st.recursive(
    JSON_LEAVES, lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=3), one, max_size=4)
)


def written(element: tuple, *, prefixes: dict[str, str], seed: int = 0) -> str:
    """Write an element with these prefixes. `seed` decides about attributes and whitespace."""
    draw = random.Random(seed)  # noqa: S311 (test data)
    space, attributes, inside = element
    pairs = list(attributes.items())
    draw.shuffle(pairs)
    name = f"{prefixes[space]}:e" if prefixes.get(space) else "e"
    own = "".join(f" {key}={quoteattr(value)}" for key, value in pairs)
    declared = "".join(f' xmlns:{prefix}="{one}"' for one, prefix in prefixes.items() if one and prefix)
    if isinstance(inside, str):
        return f"<{name}{declared}{own}>{escape(inside)}</{name}>"
    blank = draw.choice(["", "\n", "  "])
    children = blank.join(written(child, prefixes=prefixes, seed=seed) for child in inside)
    return f"<{name}{declared}{own}>{blank}{children}{blank}</{name}>"


def lines_of(text: str, *others: str, ids: dict | None = None) -> list[str] | None:
    names = Names()
    for one in (*others, text):
        root = root_of(one)
        if root is not None:
            names.collect(root)
    return canonical_lines(text, names=names, placeholders=Placeholders(ids or {}, SPAN))


def both(left: str, right: str) -> tuple:
    names = Names()
    for one in (left, right):
        names.collect(root_of(one))
    return tuple(canonical_lines(one, names=names, placeholders=Placeholders()) for one in (left, right))


class TestNormalised:
    @given(ELEMENTS)
    def test_changes_nothing_the_second_time(self, element):
        text = written(element, prefixes={"urn:one": "a", "urn:two": "b"})
        lines = lines_of(text)
        assert lines_of("\n".join(lines)) == lines

    @given(ELEMENTS, st.integers(0, 99))
    def test_is_the_same_for_other_prefixes_orders_and_blanks(self, element, seed):
        left = written(element, prefixes={"urn:one": "a", "urn:two": "b"})
        right = written(element, prefixes={"urn:one": "b", "urn:two": "c"}, seed=seed)
        first, second = both(left, right)
        assert first == second

    @given(ELEMENTS)
    def test_shows_every_changed_value(self, element):
        right = _changed(element)
        prefixes = {"urn:one": "a", "urn:two": "b"}
        first, second = both(written(element, prefixes=prefixes), written(right, prefixes=prefixes))
        assert first != second

    def test_recognizes_a_default_namespace_by_its_address(self):
        first, second = both('<a xmlns="u"><b/></a>', '<p:a xmlns:p="u"><p:b/></p:a>')
        assert first == second == ['<a xmlns="u">', "  <b/>", "</a>"]

    def test_distinguishes_a_namespace_from_none(self):
        first, second = both('<a xmlns="u"><b/></a>', '<a xmlns="u"><b xmlns=""/></a>')
        assert first != second
        first, second = both('<a><b xmlns="u"/></a>', '<a><p:b xmlns:p="u"/></a>')
        assert first == second

    def test_names_attributes_by_their_namespace(self):
        first, second = both('<a xmlns:p="u" p:x="1" x="2"/>', '<a x="2" q:x="1" xmlns:q="u"/>')
        assert first == second == ['<a xmlns:p="u" p:x="1" x="2"/>']

    def test_replaces_only_times_and_given_ids_by_a_mark(self):
        text = (
            '<a at="2026-11-01T12:00:00.123+01:00"><b>2026-11-01 12:00 Z</b><c>2026-11-01</c>'
            "<d>msg 259576 of corr-1</d><e>1259576</e></a>"
        )
        ids = {"259576": "[message id]", "corr-1": "[correlation id]"}
        assert lines_of(text, ids=ids) == [
            '<a at="[time]">',
            "  <b>[time]</b>",
            "  <c>2026-11-01</c>",
            "  <d>msg [message id] of [correlation id]</d>",
            "  <e>1259576</e>",
            "</a>",
        ]

    def test_treats_cdata_as_text_and_keeps_comments(self):
        assert lines_of("<a><b><![CDATA[<]]></b><!-- why --><?do it?></a>") == [
            "<a>",
            "  <b>&lt;</b>",
            "  <!-- why -->",
            "  <?do it?>",
            "</a>",
        ]

    def test_keeps_text_among_elements_on_one_line(self):
        assert lines_of("<p>one <b>two</b> three</p>") == ["<p>one <b>two</b> three</p>"]

    @pytest.mark.parametrize("text", ["<a>", "<!DOCTYPE a><a/>", "plain", '{"a": }', "[" * 500 + "]" * 500])
    def test_has_no_lines_for_unread_parts(self, text):
        assert lines_of(text) is None

    @given(JSONS, st.randoms(use_true_random=False))
    def test_is_the_same_for_members_in_another_order(self, document, draw):
        left, right = json.dumps([document]), json.dumps([_shuffled(document, draw)], indent=3)
        assert lines_of(left) == lines_of(right)

    def test_keeps_numbers_as_written_and_names_given_twice(self):
        text = '{"b": 1.10, "a": {}, "b": 12345678901234567890123, "c": [], "d": null}'
        assert lines_of(text) == [
            "{",
            '  "a": {}',
            '  "b": 1.10',
            '  "b": 12345678901234567890123',
            '  "c": []',
            '  "d": null',
            "}",
        ]


def _changed(element: tuple) -> tuple:
    space, attributes, inside = element
    if isinstance(inside, str):
        return space, attributes, f"{inside}ab0"
    if inside:
        return space, attributes, [*inside[:-1], _changed(inside[-1])]
    return space, attributes | {"x": attributes.get("x", "") + "ab0"}, inside


def _shuffled(document: object, draw: random.Random) -> object:
    if isinstance(document, list):
        return [_shuffled(one, draw) for one in document]
    if not isinstance(document, dict):
        return document
    pairs = [(key, _shuffled(one, draw)) for key, one in document.items()]
    draw.shuffle(pairs)
    return dict(pairs)
