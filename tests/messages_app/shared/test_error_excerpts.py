import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from messages_app.shared.error_excerpts import cut_excerpt, place_of, shorten_error, split_frames
from messages_app.shared.error_titles import describe_cause
from tests.messages_app.shared.error_samples import HELD_OUT, LABELLED, read_samples

FRAMES = "\n\tat a.B.c(B.java:3)" * 100
_PIECES = (
    *(
        "x" * 300,
        "\n\tat a.B.c(B.java:3)",
        "\n   at A.B()",
        "\n    at f (a.js:1)",
        "\nCaused by: ",
        "Caused by: ",
        "é" * 50,
    ),
    *("Traceback (most recent call last):", "\n", "\r\n", "\t... 3 more", "a.B: failed"),
)


class TestShortenError:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", ""),
            ("refused", "refused"),
            ("x" * 2_100, "x" * 2_000),
            (f"refused{FRAMES}", f"refused{FRAMES[:400]}"),
            (
                f"a: b{FRAMES}\nCaused by: c: d{FRAMES}\nCaused by: e: f{FRAMES}",
                f"a: b\nCaused by: e: f{FRAMES[:400]}",
            ),
            ("Traceback (most recent call last):\n" + "  File x\n" * 500 + "KeyError: 7", None),
        ],
    )
    def test_keeps_the_beginning_of_the_outermost_and_of_the_innermost_error(self, text, expected):
        if expected is None:
            expected = "Traceback (most recent call\n" + text[-1_000:]
        assert shorten_error(text) == expected

    @pytest.mark.django_db
    @pytest.mark.parametrize("name", LABELLED + HELD_OUT)
    def test_is_what_the_database_does(self, name):
        texts = [sample.text + more for sample in read_samples(name) for more in ("", FRAMES)]
        assert _excerpts_of_database(texts) == [shorten_error(text) for text in texts]

    @pytest.mark.django_db
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
    def test_is_what_the_database_does_with_any_text(self, text):
        assert _excerpts_of_database([text]) == [shorten_error(text)]

    @given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
    def test_does_not_change_the_result_of_a_second_reading(self, text):
        assert describe_cause(shorten_error(text)) == describe_cause(text)


def _excerpts_of_database(texts: list[str]) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT failure_excerpt(text) FROM unnest(%s::text[]) WITH ORDINALITY AS a (text, n) ORDER BY n",
            [texts],
        )
        return [text for (text,) in cursor.fetchall()]


class TestCutExcerpt:
    @pytest.mark.parametrize(
        ("text", "error_name", "message", "place"),
        [
            ("a.b.CException: no such row", "CException", "no such row", ""),
            ("E103: I/O error (a.b.CException: refused (refused))", "CException", "refused (refused)", ""),
            ("a.AException: b.BException: refused", "BException", "refused", ""),
            ("A: x; nested exception is b.BException: refused", "BException", "refused", ""),
            ("A: x ---> b.BException: refused", "BException", "refused", ""),
            (
                f"a.AException: x{FRAMES}\nCaused by: b.BException: y\n\tat c.D.e(D.java:1)",
                "BException",
                "y",
                "D.e",
            ),
            (
                "NullPointerException\n\tat java.util.A.b(A.java:1)\n\tat com.acme.C.d(C.java:2)",
                "NullPointerException",
                "",
                "C.d",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in b\nKeyError: 'c'",
                "KeyError",
                "'c'",
                "",
            ),
            (
                "TypeError: failed\n    at async f (a.js:3:7) {\n  [cause]: Error: getaddrinfo ENOTFOUND a.b",
                "Error",
                "getaddrinfo ENOTFOUND a.b",
                "",
            ),
            ("a.SAXParseException; lineNumber: 1; columnNumber: 2; bad", "SAXParseException", "bad", ""),
        ],
    )
    def test_finds_the_innermost_error(self, text, error_name, message, place):
        excerpt = cut_excerpt(*split_frames(shorten_error(text)))
        assert (excerpt.error_name, excerpt.message, place_of(excerpt.frames)) == (error_name, message, place)
