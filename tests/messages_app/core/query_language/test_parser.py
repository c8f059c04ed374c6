from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.core.filters.table import Filter, filters_by_name, text_filter, time_range
from messages_app.core.filters.values import join_values, parse_choice
from messages_app.core.query_language.parser import Reading, address_of, line_values, parse_line, render_line
from messages_app.core.query_language.vocabulary import TimeWords, Vocabulary
from messages_app.messages.filters.message_filter import CONTENT, FILTERS
from messages_app.messages.filters.vocabulary import VOCABULARY
from messages_app.shared.message_states import MessageState

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)


def read(line: str, *, without: str = "") -> Reading:
    return parse_line(line, VOCABULARY, now=NOW, allowed=frozenset(FILTERS) - {without})


def complaints(line: str) -> list[tuple[str, str]]:
    """Return the text at the place of each error, and its message."""
    return [(line[error.start : error.end], error.message) for error in read(line).errors]


PLAIN = Vocabulary(
    filters=filters_by_name(
        text_filter("queuename", 20),
        Filter(name="lock", lookup="", parse=parse_choice, choices=("free", "held"), repeatable=True),
        *time_range("created"),
    ),
    names={"queuename": "Queue", "lock": "Lock"},
    times={"created": TimeWords(key="created", label="Created")},
    keys={"queuename": "queue"},
    choices={"lock": ("free", "held")},
)


class TestParseOfAnotherList:
    """A list without states and without text search has the same syntax."""

    def parse(self, line: str) -> Reading:
        return parse_line(line, PLAIN, now=NOW, allowed=frozenset(PLAIN.filters))

    def test_reads_its_own_output(self):
        assert self.parse("queue:OCR lock:free,held created:>-2h").params == {
            "queuename": "OCR",
            "lock": "free,held",
            "created_from": "-2h",
        }

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('"a text"', "Text without a key is not supported here. Write key:value."),
            (
                "queue:OCR OR lock:free",
                "OR is not needed: all terms must match. Write several values as key:A,B.",
            ),
            ("queue:" + "x" * 21, "queue can have at most 20 characters."),
            ("lock:fre", "Unknown lock 'fre'. Did you mean free?"),
            ("lock:FREE", "Unknown lock 'FREE'. Did you mean free?"),
            ("lock:zzzzzz", "Unknown lock 'zzzzzz'."),
        ],
    )
    def test_says_what_is_wrong(self, line, message):
        assert [error.message for error in self.parse(line).errors] == [message]

    def test_takes_a_comma_as_a_part_of_a_single_value(self):
        assert self.parse("queue:a,b").params == {"queuename": "a,b"}
        assert self.parse("queue:" + ",".join(["x" * 9] * 3)).errors

    @pytest.mark.parametrize("line", ['"a text"', "a b", "queue:OCR OR lock:free", "state:OK", "lock:none"])
    def test_reports_unknown_terms(self, line):
        assert self.parse(line).errors

    def test_treats_a_single_word_as_an_id(self):
        assert self.parse("4711").find == "4711"

    def test_is_written_back(self):
        assert render_line({"lock": "free", "created_to": "-1d"}, PLAIN)[0] == "lock:free created:<-1d"


class TestParse:
    def test_reads_the_line_of_the_manual(self):
        reading = read('state:FAILED service:billing error:E114 received:>-2h "no balance"')
        assert not reading.errors
        assert reading.params == {
            "state": "FAILED",
            "service_name": "billing",
            "failed_error_code": "E114",
            "receive_timestamp_from": "-2h",
            "payload_contains": "no balance",
        }

    @pytest.mark.parametrize("name", FILTERS)
    def test_accepts_every_filter_by_its_full_name(self, name):
        value = {"state": "OK", "state_not": "OK", "archived": "any", "family": "roots"}.get(name, "4711")
        value = "-2h" if "timestamp" in name else value
        assert read(f"{name}:{value}").params == {name: value}

    def test_accepts_several_states_in_any_case_and_position(self):
        assert read("state:failed,New source:CRM state:OK").params["state"] == "FAILED,NEW,OK"

    @pytest.mark.parametrize(
        ("line", "params"),
        [
            ("service:a,b", {"service_name": ["a", "b"]}),
            ("service:a service:b", {"service_name": ["a", "b"]}),
            ('service:"a,b" service:"c d"', {"service_name": ["a,b", "c d"]}),
            (r"source:a\,b", {"source_system": ["a,b"]}),
            (
                "system:pay.example -error:E1,E2",
                {"external_system": ["pay.example"], "failed_error_code_not": ["E1", "E2"]},
            ),
            ("-state:ok,cancel", {"state_not": ["OK,CANCEL"]}),
        ],
    )
    def test_takes_several_values_of_a_facet_and_values_that_are_left_out(self, line, params):
        reading = read(line)
        assert not reading.errors
        address = address_of(reading.params, VOCABULARY)
        assert dict(address.lists()) == params
        again = read(render_line(line_values(address, VOCABULARY), VOCABULARY)[0])
        assert again.params == reading.params

    @pytest.mark.parametrize("word", ["4711", "pay-1", "2f1c-77"])
    def test_treats_only_a_single_word_as_an_id(self, word):
        assert read(f" {word} ") == Reading(params={}, find=word)

    @pytest.mark.parametrize("word", ["AND", "OR", "failed", "FAILED"])
    def test_treats_operators_and_states_in_quotes_as_text(self, word):
        reading = read(f'"{word}" received:today')
        assert not reading.errors
        assert reading.params[CONTENT] == word

    def test_treats_a_word_next_to_other_terms_as_text(self):
        assert read("received:today balance").params[CONTENT] == "balance"

    @pytest.mark.parametrize(
        ("line", "place", "says"),
        [
            ("servce:x state:OK", "servce:x", "'service'"),
            ("-object:4711", "-object:4711", "excluded"),
            ("urn:x:y", "urn:x:y", "quotes"),
            ("state:NOPE", "state:NOPE", "Unknown state"),
            ("state:FAILD", "state:FAILD", "Did you mean FAILED?"),
            ("state:", "state:", "needs a value"),
            ('service:"a', 'service:"a', "not closed"),
            ("service:bil*", "service:bil*", "Wildcards are not supported"),
            ("error:TOOLONG", "error:TOOLONG", "at most 5"),
            ("parent:abc", "parent:abc", "a number"),
            ("received:whenever", "received:whenever", "not a time"),
            ("object:a object:b", "object:b", "twice"),
            ("received:>-2h received:>-1h", "received:>-1h", "twice"),
            ("state:OK AND service:x", "AND", "all terms must match"),
            ("no balance today state:OK", "no balance today", '"no balance today"'),
            ("FAILED", "FAILED", "state:FAILED"),
            ("service:a\0b", "service:a\0b", "NUL"),
        ],
    )
    def test_reports_what_is_wrong_and_where(self, line, place, says):
        ((found, message),) = complaints(line)
        assert found == place
        assert says in message

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("object:a object:b", "object is given twice. All terms must match."),
            (
                "-object:a",
                "Values of 'object' cannot be excluded. List the values you want, separated by commas.",
            ),
            ('"a b" "c d"', "A text is given twice. All terms must match."),
            ("error:TOOLONG", "error can have at most 5 characters."),
            (
                "state:OK AND service:x",
                "AND is not needed: all terms must match. Write several values as state:A,B.",
            ),
            ("failed", "Did you mean the state? Write state:FAILED."),
            ("state:faild", "Unknown state 'faild'. Did you mean FAILED?"),
        ],
    )
    def test_writes_the_state_by_its_key(self, line, message):
        assert [told for _, told in complaints(line)] == [message]

    def test_names_every_error(self):
        assert [place for place, _ in complaints("nope:1 state:OK error:TOOLONG")] == [
            "nope:1",
            "error:TOOLONG",
        ]

    def test_reports_what_is_allowed(self):
        assert read("state:NOPE").errors[0].allowed == tuple(MessageState)
        assert "service" in read("nope:1").errors[0].allowed

    def test_refuses_a_text_to_users_who_may_not_search_payloads(self):
        (error,) = read('state:OK "no balance"', without=CONTENT).errors
        assert "Payload search needs" in error.message
        assert read("payload:x", without=CONTENT).errors

    @given(st.text(max_size=60))
    def test_never_fails_and_never_ignores_terms(self, line):
        reading = read(line)
        assert reading.errors or reading.params or reading.find or not line.strip()


TEXT = st.text(min_size=1, max_size=5).filter(lambda text: "\0" not in text)
MOMENT = st.sampled_from(
    ["-2h", "-15m", "today", "yesterday", "today-3", "2026-11-20T10:05Z", "2026-11-20T10:05+01:00"]
)
START = st.sampled_from(["2026-11-20T00:00Z"]) | MOMENT
END = st.sampled_from(["2026-11-20T23:59:59.999999Z", "2026-11-21T00:00Z"]) | MOMENT


def values_of(name: str) -> st.SearchStrategy[str]:
    if name in VOCABULARY.state_names:
        return st.lists(st.sampled_from(list(MessageState)), min_size=1, unique=True).map(",".join)
    if name in {"archived", "family"}:
        return st.sampled_from({"archived": ["true", "any"], "family": ["roots", "failed"]}[name])
    if FILTERS[name].is_text_list:
        return st.lists(TEXT, min_size=1).map(join_values)
    if name == "msg_id":
        return st.lists(st.integers(0, 2**63 - 1).map(str), min_size=1, unique=True).map(",".join)
    if name in {"parent_msg_id", "failure_group", "incident"}:
        return st.integers(0, 2**63 - 1).map(str)
    if name.endswith("_from"):
        return START
    return END if name.endswith("_to") else TEXT


@st.composite
def addresses(draw: st.DrawFn) -> Mapping[str, str]:
    names = draw(st.sets(st.sampled_from(list(FILTERS))))
    return {name: draw(values_of(name)) for name in FILTERS if name in names}


class TestRender:
    @given(addresses())
    def test_is_read_back_as_the_same_address(self, params):
        line, pieces = render_line(params, VOCABULARY)
        reading = read(line)
        assert not reading.errors
        assert reading.params == params
        assert all(line[piece.start : piece.end] == piece.text for piece in pieces)
        assert render_line(reading.params, VOCABULARY)[0] == line

    def test_writes_one_form(self):
        params = {"payload_contains": "no balance", "receive_timestamp_from": "-2h", "state": "OK"}
        line, _ = render_line(params, VOCABULARY)
        assert line == 'state:OK received:>-2h "no balance"'

    def test_also_writes_filters_that_the_list_does_not_know(self):
        line, _ = render_line({"nope": "1", "receive_timestamp_to": "whenever"}, VOCABULARY)
        assert line == "received:<=whenever nope:1"
