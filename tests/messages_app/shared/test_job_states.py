import pytest

from messages_app.shared.job_states import (
    ACTIVE_STATES,
    FINAL_STATES,
    LIVE_STATES,
    PAUSABLE_STATES,
    STOPPABLE_STATES,
    JobState,
    Outcome,
    failed_outcome,
    outcome_kind,
    skipped_outcome,
)

# For each state: the sets that it is in.
SETS = {
    "planning": {"live", "active", "stoppable"},
    "planned": {"active", "stoppable"},
    "queued": {"live", "active", "stoppable", "pausable"},
    "running": {"live", "active", "stoppable", "pausable"},
    "paused": {"active", "stoppable"},
    "stopping": {"live", "active"},
    "done": {"final"},
    "failed": {"final"},
    "stopped": {"final"},
}


class TestSetsOfStates:
    def test_have_each_state_where_it_belongs(self):
        members = {
            "final": FINAL_STATES,
            "pausable": PAUSABLE_STATES,
            "stoppable": STOPPABLE_STATES,
            "live": LIVE_STATES,
            "active": ACTIVE_STATES,
        }
        told = {
            str(state): {name for name, states in members.items() if state in states} for state in JobState
        }
        assert told == SETS


class TestOutcomes:
    def test_have_their_reason_behind_a_colon(self):
        assert (skipped_outcome("locked"), failed_outcome("too_slow")) == (
            "skipped:locked",
            "failed:too_slow",
        )

    @pytest.mark.parametrize(
        ("outcome", "kind"),
        [
            ("done", Outcome.DONE),
            ("skipped:in_job", Outcome.SKIPPED),
            ("failed:key:with:colons", Outcome.FAILED),
        ],
    )
    def test_are_of_the_kind_before_it(self, outcome, kind):
        assert outcome_kind(outcome) is kind
