import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.shared.error_titles import MAX_CAUSE_LENGTH, MAX_TITLE, describe_cause, title_of
from tests.messages_app.shared.error_samples import HELD_OUT, LABELLED, read_samples

_CLASS = re.compile(r"\b[A-Z][a-z]\w*(?:Exception|Error)\b|\b(?:java|javax|com|org|System)\.\w+\.\w")


class TestTitleOf:
    def test_says_what_happened(self):
        samples = read_samples("titles.txt")
        assert len(samples) >= 60
        titles = {sample.text: title_of(sample.text) for sample in samples}
        assert titles == {sample.text: sample.cause for sample in samples}

    @pytest.mark.parametrize("text", [None, "", " \n "])
    def test_is_empty_without_a_text(self, text):
        assert title_of(text) == ""

    @pytest.mark.parametrize("name", LABELLED + HELD_OUT)
    def test_is_never_empty_nor_the_name_of_a_class(self, name):
        titles = {title_of(sample.text) for sample in read_samples(name)}
        assert "" not in titles
        assert [title for title in titles if _CLASS.search(title)] == []

    def test_is_one_line_of_a_fixed_length(self):
        title = title_of("the target\nrefused " + "the whole delivery " * 100)
        assert len(title) <= MAX_TITLE
        assert title.endswith("…")
        assert "\n" not in title


class TestDescribeCause:
    @pytest.mark.parametrize(
        ("text", "other"),
        [
            ("took 12.5 s, -3 left", "took 3 s, 7 left"),
            (
                "job 7f1c2b9a-0000-4a1b-8c2d-0123456789ab failed",
                "job 0f1c2b9a-0000-4a1b-8c2d-0123456789ff failed",
            ),
            ("closed since 2026-11-21T10:00:00.123Z", "closed since 2026-11-22T00:00:00Z"),
            ("object Foo@1a2b3c is locked", "object Foo@99ff is locked"),
            ("account AX000467 and IBAN-AX034078", "account AX1 and IBAN-AX2"),
            ("http://crm.example:8080/ws/4711 is slow", "https://crm.example/ws/4712 is slow"),
            ("\n  padded   text \r\n", "padded text"),
        ],
    )
    def test_is_the_same_whatever_ids_numbers_and_times_a_text_has(self, text, other):
        assert describe_cause(text) == describe_cause(other)

    @pytest.mark.parametrize(
        ("text", "other"),
        [
            ("answer of crm.example is empty", "answer of erp.example is empty"),
            ("Insert failed with ORA-00001", "Insert failed with ORA-12541"),
            ("SQLSTATE[08006] at commit", "SQLSTATE[57P01] at commit"),
            ("E101: refused", "E102: refused"),
            ("column 'a' is unknown", "column 'b' is unknown"),
            ("MQ call failed with reason 2035", "MQ call failed with reason 2053"),
        ],
    )
    def test_differs_if_the_cause_differs(self, text, other):
        assert describe_cause(text) != describe_cause(other)

    @given(st.integers(0, 10**12), st.integers(0, 10**12))
    def test_is_the_same_for_all_numbers(self, one, other):
        assert describe_cause(f"order {one} of {other}") == describe_cause(f"order {other} of {one}")

    @given(st.text(max_size=300))
    def test_accepts_any_text(self, text):
        assert len(describe_cause(text)) <= MAX_CAUSE_LENGTH

    @pytest.mark.parametrize(
        "piece",
        [
            *(
                "a-",
                "1.",
                "'",
                '"',
                "2026-11-21T",
                "+",
                "@0x",
                "1f2e3d4c-",
                "a.",
                "A",
                "Aa",
                "(a.B: ",
                "{",
                '{"a":',
            ),
            *(
                "<a ",
                "<a>",
                "\nCaused by: ",
                "Caused by: ",
                "a.B: ",
                "AException: ",
                "\n\tat a.B(",
                "x=",
                "\\",
                "'a ",
            ),
            *(
                "http://",
                "://a@",
                "HTTP 404 ",
                "status ",
                "[a-",
                "key (",
                "Traceback (most recent call last)\n",
            ),
        ],
    )
    def test_takes_no_longer_for_an_endless_text(self, piece):
        began = time.thread_time()
        describe_cause(piece * 20_000)
        assert time.thread_time() - began < 0.25
