from datetime import timedelta

from messages_app.demo.hub.timing import Timing


class TestGentle:
    def test_keeps_to_what_the_pages_get(self):
        timing = Timing.gentle(10)
        assert timing.as_settings() == {
            "HUB_POLL_SECONDS": "6",
            "HUB_FAILED_REST_SECONDS": "6",
            "HUB_POSTPONED_REST_SECONDS": "1",
        }
        assert (timing.poll_every, timing.partly_failed_rests, timing.postponed_rests) == (
            timedelta(seconds=6),
            timedelta(seconds=6),
            timedelta(seconds=1),
        )

    def test_leaves_the_windows_of_the_pages_as_they_are(self):
        timing = Timing.gentle(10)
        assert (timing.repair_after, timing.order_fails_after) == (timedelta(seconds=300),) * 2
        assert timing.funnel_idle_after == timedelta(seconds=600)
