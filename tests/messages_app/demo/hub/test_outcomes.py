import pytest

from messages_app.demo.hub import outcomes
from messages_app.demo.hub.play import Play
from messages_app.messages.models import Message


def message(number: int, **columns: object) -> Message:
    return Message(**{"correlation_id": f"c{number}", "failed_count": 0} | columns)


class TestFailureOfTry:
    def test_follows_from_seed_and_correlation_id(self):
        def course(seed: int) -> list:
            play = Play(seed=seed, failing=0.5)
            return [outcomes.failure_of_try(play, message(number)) for number in range(50)]

        assert course(1) == course(1)
        assert course(1) != course(2)

    @pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
    def test_has_the_requested_share(self, share):
        play = Play(failing=share)
        failed = [outcomes.failure_of_try(play, message(number)) is not None for number in range(2_000)]
        assert sum(failed) / 2_000 == pytest.approx(share, abs=0.04)

    def test_ends_with_a_restart(self):
        play = Play(failing=1.0)
        assert all(
            outcomes.failure_of_try(play, message(number, failed_count=4, failed_error_code="E103")) is None
            for number in range(200)
        )

    def test_does_not_happen_after_a_correction_in_a_gentle_hub(self):
        corrected = [
            Message(msg_id=number, correlation_id=f"c_r{number}", failed_count=0) for number in range(9)
        ]
        gentle, other = (
            [outcomes.failure_of_try(Play(failing=1.0, is_gentle=is_gentle), one) for one in corrected]
            for is_gentle in (True, False)
        )
        assert gentle == [None] * 9
        assert None not in other
        assert outcomes.failure_of_try(Play(failing=1.0, is_gentle=True), message(1)) is not None

    def test_of_wrong_content_happens_again(self):
        wrong = {"failed_error_code": "E102"}
        assert outcomes.failure_of_try(Play(failing=0), message(1, failed_count=1, **wrong)).code == "E102"
        assert outcomes.failure_of_try(Play(failing=0), message(1, failed_count=2, **wrong)) is None
