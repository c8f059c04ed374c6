import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.shared.failure_texts import CHARACTERS, KnownFailures, failure_of

KIND = ("billing", "createInvoice", "E103")


class TestFailureOf:
    def test_is_the_same_whatever_ids_and_numbers_the_text_has(self):
        first = failure_of(*KIND, "E103: order 4711 of 'Ada' timed out after 30 s\n\tat a.B.c(B.java:7)")
        second = failure_of(*KIND, "E103: order 9 of 'Grace' timed out after 31 s")
        assert first.fingerprint == second.fingerprint
        assert len(first.fingerprint) == 32

    @pytest.mark.parametrize(
        "other",
        [
            ("orders", "createInvoice", "E103", "timed out"),
            ("billing", "cancelInvoice", "E103", "timed out"),
            ("billing", "createInvoice", "E101", "timed out"),
            ("billing", "createInvoice", "E103", "refused"),
        ],
    )
    def test_differs_by_service_operation_code_and_text(self, other):
        assert failure_of(*other).fingerprint != failure_of(*KIND, "timed out").fingerprint

    def test_accepts_a_missing_code_and_a_missing_text(self):
        found = failure_of("billing", "createInvoice", None, None)
        assert (found.failed_error_code, found.summary) == ("", "")

    def test_reads_the_beginning_and_the_innermost_cause(self):
        long = "x " * 1_000
        assert failure_of(*KIND, long).fingerprint == failure_of(*KIND, long + "more").fingerprint
        frames = "\n\tat a.B.c(B.java:3)" * 1_000
        refused = failure_of(
            *KIND, f"RouteException: failed{frames}\nCaused by: ConnectException: Connection refused{frames}"
        )
        assert refused.summary == "Connection refused"
        assert len(failure_of(*KIND, long).summary) <= CHARACTERS


_PIECES = (
    *(
        "E102:",
        "E1:",
        "e77: ",
        "E12345:",
        "X9:1",
        "1",
        "42",
        "4711",
        "12.5",
        "-3",
        "+7",
        "2026-11-21",
        "10:15:59Z",
    ),
    *(
        "10.0.0.7",
        ":8080",
        "7f1c2b9a-0000-4a1b-8c2d-0123456789ab",
        "@1a2b",
        "0x1f",
        "a1",
        "AX-1",
        "x_2",
        "v1.2",
    ),
    *(
        "'",
        '"',
        "„",
        "“",
        "”",
        " ",
        "  ",
        "\n",
        "\r",
        "\x85",
        "\u0663",
        "\u00b2",
        "-",
        ".",
        ":",
        ",",
        "T",
        "E",
        "order",
    ),
    *(
        "HTTP 404 ",
        "status 503",
        "ORA-00942: ",
        "code=7",
        '{"code":12,"status":404}',
        "\nCaused by: a.B: ",
        "0a1b2c3d4e5f6a7b",
    ),
    *(
        "Connection refused ",
        "crm1.example:8080",
        "[3]",
        "line 7",
        "SQLCODE=-911, SQLSTATE=40001, SQLERRMC=2",
        "cvc-a.2.4.a: ",
    ),
)


class TestKnownFailures:
    @given(st.lists(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join), max_size=6), st.randoms())
    def test_agree_with_the_rule_for_texts_that_differ_in_digits(self, texts: list[str], any: random.Random):
        known = KnownFailures()
        for text in texts:
            for _ in range(3):
                other = "".join(any.choice("0123456789") if one in "0123456789" else one for one in text)
                assert known.failure_of(*KIND, other) == failure_of(*KIND, other), other

    def test_distinguish_codes_that_follow_a_number_immediately(self):
        known = KnownFailures()
        texts = ("7SQLCODE=-803, SQLSTATE=23505, SQLERRMC=0", "7SQLCODE=-911, SQLSTATE=23505, SQLERRMC=0")
        assert [known.failure_of(*KIND, text).summary for text in texts] == [
            "Duplicate key (Db2)",
            "Deadlock (Db2)",
        ]

    @pytest.mark.parametrize("prefix", ["AK", "IK"])
    def test_keep_the_numbers_of_a_segment_whatever_segments_came_before_it(self, prefix):
        # AK3 is shown without the position of the segment, AK5 with all codes.
        known = KnownFailures()
        texts = [f"{prefix}3*N1*7*8*5", f"{prefix}5*N1*7*8*5", f"{prefix}5*N1*6*8*5"]
        assert [known.failure_of(*KIND, text).summary for text in texts] == [
            f"{prefix}3*N1**8*5",
            f"{prefix}5*N1*7*8*5",
            f"{prefix}5*N1*6*8*5",
        ]

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["NullPointerException", "a.B: order 7 refused", "code 12", "a.CException"]),
                st.lists(st.sampled_from(["a.B.c", "a.D.e", "java.util.A.b", "a.B.c$1"]), max_size=3),
            ),
            max_size=12,
        )
    )
    def test_agree_with_the_rule_for_texts_with_stack_traces(self, errors):
        known = KnownFailures()
        for told, methods in errors:
            text = told + "".join(f"\n\tat {method}(A.java:1)" for method in methods)
            assert known.failure_of(*KIND, text) == failure_of(*KIND, text), text

    def test_agree_with_the_rule_for_segments_that_differ_in_the_digit_of_their_names(self):
        known = KnownFailures()
        for text in (
            "AK3*2*1*7*8~",
            "AK4*2*1*7*8~",
            "TA1*2*3*4*5*6~",
            "TA2*2*3*4*5*6~",
            "{405:T27}",
            "{108:T27}",
        ):
            assert known.failure_of(*KIND, text) == failure_of(*KIND, text), text

    def test_do_not_mix_services_operations_codes_and_texts(self):
        known = KnownFailures()
        kinds = (KIND, ("a", *KIND[1:]), (KIND[0], "b", "c"), (*KIND[:2], None))
        texts = ("E102: order 1", "E103: order 1", "no E104: 1", "no E105: 1", "0x1f-3", "7x1f-3", None)
        rows = [*((*kind, "order 1") for kind in kinds), *((*KIND, text) for text in texts)]
        found = [known.failure_of(*row) for row in rows]
        assert found == [failure_of(*row) for row in rows]
        assert len({failure.fingerprint for failure in found}) == 10
