import pytest

from messages_app.messages.failures import selectors
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.failures.selectors import outcomes_of_groups
from messages_app.messages.models import Message
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def failed() -> list[int]:
    """Store five messages that failed with the same error, and their group."""
    ids = [make_message(state="FAILED", failed_desc="timed out").pk for _ in range(5)]
    group_new_failures()
    return ids


def outcome() -> selectors.GroupOutcome:
    group_id = FailureGroup.objects.get().pk
    return outcomes_of_groups([group_id])[group_id]


class TestOutcomesOfGroups:
    def test_count_messages_by_their_current_state(self, failed):
        for msg_id, state in zip(failed, ("OK", "OK", "CANCEL", "PARTLY_FAILED"), strict=False):
            Message.objects.filter(pk=msg_id).update(state=state)
        found = outcome()
        assert (found.ok, found.cancelled, found.in_progress, found.failed, found.gone) == (2, 1, 1, 1, 0)
        assert (found.total, found.is_repaired) == (5, False)

    def test_are_repaired_when_no_message_is_failed_or_in_progress(self, failed):
        Message.objects.filter(pk__in=failed).update(state="OK")
        assert outcome().is_repaired
        Message.objects.filter(pk=failed[0]).delete()
        assert (outcome().gone, outcome().is_repaired) == (1, True)
        Message.objects.filter(pk=failed[1]).update(state="PROCESSING")
        assert not outcome().is_repaired

    def test_are_not_repaired_if_older_messages_were_not_checked(self, failed, monkeypatch):
        Message.objects.filter(pk__in=failed).update(state="OK")
        monkeypatch.setattr(selectors, "CHECKED_MESSAGES", 5)
        assert (outcome().total, outcome().is_repaired) == (5, False)

    def test_count_the_newest_messages_of_each_group(self, failed, monkeypatch):
        other = [make_message(state="FAILED", failed_desc="refused").pk for _ in range(3)]
        group_new_failures()
        Message.objects.filter(pk__in=[*failed[-2:], other[-1]]).update(state="OK")
        monkeypatch.setattr(selectors, "CHECKED_MESSAGES", 2)
        groups = {group.summary: group.pk for group in FailureGroup.objects.all()}
        outcomes = outcomes_of_groups(groups.values())
        timed_out, refused = outcomes[groups["timed out"]], outcomes[groups["refused"]]
        assert (timed_out.ok, timed_out.failed, timed_out.total) == (2, 0, 2)
        assert (refused.ok, refused.failed, refused.total) == (1, 1, 2)

    def test_are_empty_without_groups(self):
        assert outcomes_of_groups([]) == {}
        assert outcomes_of_groups([77])[77].is_repaired is False
