import pytest

from messages_app.message_store.retry_times import Timing, Wait, wait_after


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

    def test_has_the_components_of_the_wait(self):
        timing = Timing(
            minimum_delay=50,
            maximum_delay=300,
            minimum_delay_multiplier=3,
            age_exponent=2,
            age_multiplier=4,
            message_timeout=9,
        )
        assert wait_after(age=5, duration=20, timing=timing) == Wait(
            age=5, duration=20, raw=100, floor=60, cap=300, seconds=100
        )
        assert wait_after(age=3, duration=10, timing=timing) == Wait(
            age=3, duration=10, raw=36, floor=50, cap=300, seconds=50
        )
        assert wait_after(age=9, duration=10, timing=timing).seconds == 300
        assert wait_after(age=9.5, duration=10, timing=timing).seconds is None
