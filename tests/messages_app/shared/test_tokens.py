import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.shared.tokens import Kind, json_tokens, xml_tokens

XMLISH = st.text(alphabet="<>/?!-[]\"'= abCDATž&;\n", max_size=80)
JSONISH = st.text(alphabet='{}[]:,"\\ 1atrue\n', max_size=80)
# Texts that would cause backtracking in a careless pattern.
UNENDING = [
    "<!--" * 32_000,
    "<a '" * 32_000,
    '<"' + "<" * 120_000,
    "<?" * 60_000,
    "<![CDATA[" * 14_000,
    "</" * 60_000,
]


def kinds(tokens) -> list[tuple[Kind, str]]:
    return [(token.kind, token.text) for token in tokens]


class TestXmlTokens:
    @given(XMLISH)
    def test_keep_every_text_completely(self, text):
        tokens = list(xml_tokens(text))
        assert "".join(token.text for token in tokens) == text
        assert [token.start for token in tokens] == _starts(tokens)

    def test_distinguish_the_parts(self):
        text = "<?xml version='1.0'?><!-- < --><a b='>'>x<c/><![CDATA[<]]></a>"
        assert kinds(xml_tokens(text)) == [
            (Kind.INSTRUCTION, "<?xml version='1.0'?>"),
            (Kind.COMMENT, "<!-- < -->"),
            (Kind.START, "<a b='>'>"),
            (Kind.TEXT, "x"),
            (Kind.EMPTY, "<c/>"),
            (Kind.CDATA, "<![CDATA[<]]>"),
            (Kind.END, "</a>"),
        ]

    def test_continue_within_a_token(self):
        assert kinds(xml_tokens('c="1">x', inside=Kind.START)) == [(Kind.START, 'c="1">'), (Kind.TEXT, "x")]
        assert kinds(xml_tokens("<b>--><c>", inside=Kind.COMMENT))[0] == (Kind.COMMENT, "<b>-->")

    @pytest.mark.parametrize("text", UNENDING)
    def test_take_no_longer_for_a_hostile_text(self, text):
        began = time.process_time()
        list(xml_tokens(text))
        assert (
            time.process_time() - began < 10
        )  # half a second on an idle machine; minutes for a careless pattern


class TestJsonTokens:
    @given(JSONISH)
    def test_lose_only_half_an_escape(self, text):
        joined = "".join(token.text for token in json_tokens(text))
        assert joined == text or set(text) & {"\\"}

    def test_distinguish_names_from_values(self):
        assert kinds(json_tokens('{"a" : "b", "c": [1e999, true]}')) == [
            (Kind.OPEN, "{"),
            (Kind.STRING, '"a"'),
            (Kind.TEXT, " "),
            (Kind.COLON, ":"),
            (Kind.TEXT, " "),
            (Kind.STRING, '"b"'),
            (Kind.COMMA, ","),
            (Kind.TEXT, " "),
            (Kind.KEY, '"c"'),
            (Kind.COLON, ":"),
            (Kind.TEXT, " "),
            (Kind.OPEN, "["),
            (Kind.VALUE, "1e999"),
            (Kind.COMMA, ","),
            (Kind.TEXT, " "),
            (Kind.VALUE, "true"),
            (Kind.CLOSE, "]"),
            (Kind.CLOSE, "}"),
        ]

    def test_continue_within_a_string(self):
        assert kinds(json_tokens('rest\\"", 1', inside=Kind.STRING))[0] == (Kind.STRING, 'rest\\""')


def _starts(tokens) -> list[int]:
    starts, at = [], 0
    for token in tokens:
        starts.append(at)
        at += len(token.text)
    return starts
