from datetime import UTC, datetime

import pytest

from messages_app.demo import failures
from messages_app.demo.drafts import Draft
from messages_app.demo.lives import SMOOTH, Plot, Times, play
from messages_app.demo.rhythm import DAY, HOUR, last_outage
from messages_app.demo.world import OPERATIONS, dice

NOW = datetime(2026, 11, 21, 4, 30, tzinfo=UTC).timestamp()
TIMES = Times(now=NOW, outage=last_outage(NOW))


def played(plot: Plot, *, ago: float = 30 * DAY, name: str = "createInvoice", seed: int = 1) -> Draft:
    draft = Draft(operation=OPERATIONS[name], received_at=NOW - ago, msg_at=NOW - ago - 1)
    play(draft, plot, TIMES, dice(seed))
    return draft


def call_states(draft: Draft) -> list[str]:
    return [call.state for call in draft.calls]


class TestPlay:
    def test_ends_ok_with_every_call_made(self):
        draft = played(SMOOTH)
        assert (draft.state, draft.failed_count, draft.failure) == ("OK", 0, None)
        assert call_states(draft) == ["OK", "OK"]
        assert draft.received_at < draft.started_at < draft.processed_at

    @pytest.mark.parametrize("failed_tries", [1, 2, 3])
    def test_keeps_count_and_error_of_failed_attempts(self, failed_tries):
        draft = played(Plot(failed_tries=failed_tries, failure=failures.TIMEOUT))
        assert (draft.state, draft.failed_count) == ("OK", failed_tries)
        assert draft.failure is failures.TIMEOUT
        assert [to for _, to, _ in draft.history].count("PARTLY_FAILED") == failed_tries

    def test_gives_up_at_the_fourth_try(self):
        draft = played(Plot(failed_tries=9, failure=failures.TIMEOUT))
        assert (draft.state, draft.failed_count) == ("FAILED", 4)
        assert call_states(draft) == ["OK", "FAILED"]

    def test_gives_up_immediately_on_a_fatal_error_and_calls_nothing(self):
        draft = played(Plot(failed_tries=1, failure=failures.INVALID_INPUT))
        assert (draft.state, draft.failed_count, draft.calls) == ("FAILED", 1, [])

    def test_leaves_the_time_of_last_processing_to_a_cancelled_message(self):
        draft = played(Plot(failed_tries=2, failure=failures.TIMEOUT, is_cancelled=True))
        assert (draft.state, draft.failed_count) == ("CANCEL", 2)
        assert draft.processed_at < draft.history[-1][2]

    def test_heals_a_restarted_message_and_keeps_its_old_error(self):
        draft = played(Plot(failed_tries=4, failure=failures.TIMEOUT, is_restarted=True))
        assert (draft.state, draft.failed_count, draft.failure) == ("OK", 4, failures.TIMEOUT)
        assert ("FAILED", "PARTLY_FAILED") in [(was, to) for was, to, _ in draft.history]

    @pytest.mark.parametrize("seed", range(30))
    def test_never_outlives_the_present(self, seed):
        plot = Plot(failed_tries=3, failure=failures.TIMEOUT)
        draft = played(plot, ago=seed * 10.0, seed=seed)
        assert draft.state in {"NEW", "PROCESSING", "PARTLY_FAILED", "OK"}
        assert all(at <= NOW for _, _, at in draft.history)

    def test_fails_in_the_outage_and_after_its_end_no_more(self):
        outage = TIMES.outage
        during = [played(SMOOTH, ago=NOW - outage.begins_at - HOUR, seed=seed) for seed in range(60)]
        assert all(draft.failure is failures.UNAVAILABLE for draft in during)
        assert {"FAILED", "OK", "PARTLY_FAILED"} >= {draft.state for draft in during}
        assert sum(draft.state == "FAILED" for draft in during) > 30
        late = played(SMOOTH, ago=NOW - outage.ends_at + 90)
        assert late.state == "OK"
        assert late.failed_count > 0

    def test_spares_other_targets_in_the_outage(self):
        assert played(SMOOTH, ago=NOW - TIMES.outage.begins_at - HOUR, name="postPayment").state == "OK"
