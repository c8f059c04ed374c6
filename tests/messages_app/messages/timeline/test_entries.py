import pytest

from messages_app.messages.timeline.entries import Entry, Kind
from tests.support.factories import NOON


class TestEntry:
    @pytest.mark.parametrize("state", ["FAILED", "PARTLY_FAILED", "FAILED_END", "failed", "refused"])
    def test_is_a_failure_in_these_states(self, state):
        assert Entry(at=NOON, kind=Kind.ATTEMPT, text="", state=state).is_failure

    @pytest.mark.parametrize("state", ["OK", "POSTPONED", "CANCEL", "done", ""])
    def test_is_not_a_failure_in_other_states(self, state):
        assert not Entry(at=NOON, kind=Kind.ATTEMPT, text="", state=state).is_failure

    def test_is_not_a_failure_while_it_waits_for_another_attempt(self):
        assert not Entry(at=NOON, kind=Kind.WAIT, text="", state="PARTLY_FAILED").is_failure
