import pytest

from messages_app.shared.failure_texts import CHARACTERS, failure_of

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

    def test_checks_only_the_beginning(self):
        long = "x " * CHARACTERS
        assert failure_of(*KIND, long).fingerprint == failure_of(*KIND, long + "more").fingerprint
        assert len(failure_of(*KIND, "1 " * CHARACTERS).summary) <= CHARACTERS
