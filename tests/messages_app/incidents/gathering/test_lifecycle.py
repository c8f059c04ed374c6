"""An incident ends when all its messages are processed and nothing new comes, and reopens within a day."""

import pytest

from messages_app.incidents.gathering.lifecycle import Change, decide_change, may_reopen


class TestOpenIncident:
    def test_ends_when_all_messages_are_processed_and_nothing_new_came(self):
        assert decide_change(ended=None, last_failure=100, waiting=0, now=130) is Change.END

    def test_stays_open_while_a_message_waits(self):
        assert decide_change(ended=None, last_failure=100, waiting=1, now=900) is Change.NOTHING

    def test_stays_open_shortly_after_a_failure(self):
        assert decide_change(ended=None, last_failure=100, waiting=0, now=129) is Change.NOTHING

    def test_waits_as_long_as_it_is_set(self):
        assert decide_change(ended=None, last_failure=100, waiting=0, now=110, quiet=10) is Change.END


class TestEndedIncident:
    @pytest.mark.parametrize("pause", [1, 1440])
    def test_reopens_with_a_failure_within_a_day(self, pause):
        assert decide_change(ended=100, last_failure=100 + pause, waiting=1, now=2000) is Change.REOPEN

    def test_does_not_reopen_after_a_day(self):
        assert decide_change(ended=100, last_failure=1541, waiting=1, now=2000) is Change.NOTHING
        assert not may_reopen(100, 1541)

    def test_does_not_reopen_by_the_failures_before_its_end(self):
        assert decide_change(ended=100, last_failure=100, waiting=3, now=110) is Change.NOTHING
