from datetime import timedelta

import pytest

from messages_app.messages.timeline.entries import Entry, Kind, spelled
from tests.factories import NOON


class TestEntry:
    @pytest.mark.parametrize("state", ["FAILED", "PARTLY_FAILED", "FAILED_END", "failed", "refused"])
    def test_is_a_failure_in_these_states(self, state):
        assert Entry(at=NOON, kind=Kind.ATTEMPT, text="", state=state).is_failure

    @pytest.mark.parametrize("state", ["OK", "POSTPONED", "CANCEL", "done", ""])
    def test_is_none_in_others(self, state):
        assert not Entry(at=NOON, kind=Kind.ATTEMPT, text="", state=state).is_failure

    def test_is_none_while_it_waits_for_another_try(self):
        assert not Entry(at=NOON, kind=Kind.WAIT, text="", state="PARTLY_FAILED").is_failure


class TestSpelled:
    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            (0, "0 ms"),
            (0.3, "300 ms"),
            (1, "1 s"),
            (1.5, "1.5 s"),
            (60, "60 s"),
            (41 * 60, "41 min"),
            (3 * 3600, "3 h"),
            (3 * 86400, "3 d"),
            (600 * 86400 + 21 * 3600, "600 d 21 h"),
        ],
    )
    def test_is_as_people_say_it(self, seconds, text):
        assert spelled(timedelta(seconds=seconds)) == text
