import pytest

from messages_app.shared.store_states import Status
from spark_tasks.actions.reprocess import reason_of


def _of(status: Status) -> str:
    return str(int(status))


class TestReasonOf:
    @pytest.mark.parametrize(
        "state", ["", _of(Status.NOT_PROCESSED), _of(Status.QUEUED), _of(Status.PROCESSING)]
    )
    def test_is_the_state_of_messages_that_may_not_be_processed_again(self, state):
        assert reason_of(state, None, named=()) == "state_conflict"

    @pytest.mark.parametrize("status", [Status.PROCESSED, Status.GENERAL_ERROR, Status.REPROCESS_TIMEOUT])
    def test_is_empty_for_ended_messages(self, status):
        assert reason_of(_of(status), None, named=()) is None

    def test_is_the_refresh_of_an_entity_that_is_not_named(self):
        assert reason_of(_of(Status.GENERAL_ERROR), "invoice", named={"order"}) == "refresh"
        assert reason_of(_of(Status.GENERAL_ERROR), "order", named={"order"}) is None
