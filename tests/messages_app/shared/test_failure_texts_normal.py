import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.shared.failure_texts import normalise_error


class TestNormalised:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (None, ""),
            ("", ""),
            ("E103: connection refused", "E103: connection refused"),
            ("E102: the target refused order 920000", "E102: the target refused order <n>"),
            ("took 12.5 s, -3 left", "took <n> s, <n> left"),
            ("first line\n\tat x.y.Z(Z.java:12)", "first line"),
            ("\n  padded   text \r\nmore", "padded text"),
            ("no customer 'Ada Lovelace' here", "no customer <text> here"),
            ('element "a:b" is missing', "element <text> is missing"),
            ("the customer's account can't be found", "the customer's account can't be found"),
            ("job 7f1c2b9a-0000-4a1b-8c2d-0123456789ab failed", "job <uuid> failed"),
            ("JOB 7F1C2B9A-0000-4A1B-8C2D-0123456789AB failed", "JOB <uuid> failed"),
            ("since 2026-11-21T10:00:00.123Z", "since <time>"),
            ("on 2026-11-21", "on <time>"),
            ("http://10.0.0.7:8080/ws/4711/x", "http://<address>/ws/<n>/x"),
            ("object Foo@1a2b3c is locked", "object Foo<id> is locked"),
            ("account AX000467 and IBAN-AX034078", "account <id> and <id>"),
            (
                "java.net.SocketTimeoutException: Read timed out",
                "java.net.SocketTimeoutException: Read timed out",
            ),
        ],
    )
    def test_replaces_what_differs(self, text, expected):
        assert normalise_error(text) == expected

    @pytest.mark.parametrize("text", ["a-", "1.", "'", '"', "2026-11-21T", "+", "@0x", "1f2e3d4c-"])
    def test_takes_no_longer_for_an_endless_line(self, text):
        began = time.perf_counter()
        normalise_error(text * 10_000)
        assert time.perf_counter() - began < 0.5

    @given(st.integers(0, 10**12), st.integers(0, 10**12))
    def test_is_the_same_for_all_numbers(self, one, other):
        assert normalise_error(f"order {one} of {other}") == normalise_error(f"order {other} of {one}")

    @given(st.text(max_size=200))
    def test_changes_nothing_the_second_time(self, text):
        assert normalise_error(normalise_error(text)) == normalise_error(text)
