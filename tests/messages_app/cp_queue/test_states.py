import pytest

from messages_app.cp_queue.states import Outcome, delay_seconds, ended_as, is_retry


class TestIsRetry:
    @pytest.mark.parametrize("reason", ["RETRY", "retry", "Retry"])
    def test_is_true_in_upper_and_lower_case(self, reason):
        assert is_retry(reason)

    @pytest.mark.parametrize("reason", ["OK", "RETRY LATER", "RETRYING", "failed: retry"])
    def test_is_false_for_any_other_reason(self, reason):
        assert not is_retry(reason)


class TestEndedAs:
    @pytest.mark.parametrize(
        ("reason", "outcome"), [("OK", Outcome.DONE), ("ok", Outcome.DONE), ("OKAY", Outcome.FAILED)]
    )
    def test_distinguishes_success_from_failure(self, reason, outcome):
        assert ended_as(reason) is outcome


class TestDelaySeconds:
    def test_doubles_up_to_the_maximum(self):
        delays = [delay_seconds(number, first=30, longest=300) for number in (1, 2, 3, 4, 5, 1000)]
        assert delays == [30, 60, 120, 240, 300, 300]
