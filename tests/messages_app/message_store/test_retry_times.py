import pytest

from messages_app.message_store.retry_times import Timing, wait_after


class TestWaitAfter:
    @pytest.mark.parametrize(
        ("age", "duration", "seconds"),
        [
            (5, 2, 60),
            (70, 2, 70),
            (140, 2, 140),
            (300, 120, 1_200),
            (20_000, 5, 14_400),
            (1_800, 2_000, 14_400),
            (3_456_000, 1, 14_400),
            (3_456_001, 1, None),
            (-30, 1, 60),
        ],
    )
    def test_matches_the_example_of_the_specification(self, age, duration, seconds):
        assert wait_after(age=age, duration=duration, timing=Timing()).seconds == seconds

    def test_grows_with_the_age_by_its_exponent(self):
        timing = Timing(age_exponent=0.5, age_multiplier=10, minimum_delay=1)
        assert wait_after(age=400, duration=0, timing=timing).seconds == 200
