from messages_app.demo import failures
from messages_app.demo.drafts import Draft
from messages_app.demo.world import OPERATIONS


def draft() -> Draft:
    return Draft(operation=OPERATIONS["postPayment"], received_at=100.0, msg_at=99.0)


class TestDraft:
    def test_is_stored_as_new(self):
        new = draft()
        assert (new.state, new.started_at, new.processed_at, new.failed_count) == ("NEW", 100.0, 100.0, 0)

    def test_enters_the_queue_when_it_starts(self):
        started = draft()
        started.start(101.0, node=2)
        assert [to for _, to, _ in started.history] == ["IN_QUEUE", "PROCESSING"]
        assert (started.started_at, started.node) == (101.0, 2)
        assert started.queued_at < 101.0

    def test_keeps_count_when_it_fails(self):
        failed = draft()
        failed.fail(failures.TIMEOUT, 102.0, is_final=False)
        failed.fail(failures.TIMEOUT, 180.0, is_final=True)
        assert (failed.state, failed.failed_count, failed.processed_at) == ("FAILED", 2, 180.0)

    def test_only_changes_the_state_when_it_is_cancelled(self):
        cancelled = draft()
        cancelled.cancel(500.0)
        assert (cancelled.state, cancelled.processed_at) == ("CANCEL", 100.0)
        assert cancelled.history == [("NEW", "CANCEL", 500.0)]
