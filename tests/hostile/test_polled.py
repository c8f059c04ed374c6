"""On a polled hub, messages with ids at the ends of bigint, negative or zero are counted like the others."""

from collections.abc import Iterator

import pytest

from messages_app.messages.metrics import polling
from messages_app.messages.metrics.models import PolledMessage, Polling
from messages_app.messages.metrics.passes import fold_changes
from tests.hostile.rows import LONG_NUMBERS
from tests.messages_app.messages.metrics.counting import counted_by_day, counts_by_day
from tests.messages_app.messages.metrics.test_polling import INSERT, SILENT, begin_again, events
from tests.support.attached import AttachedHub, attached_hub

IDS = list(LONG_NUMBERS)


@pytest.fixture(scope="module")
def module_hub(django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub("CleverBus 2.0") as hub:
        yield hub


@pytest.fixture
def hub(module_hub: AttachedHub, monkeypatch) -> Iterator[AttachedHub]:
    """Give a hub with such messages; only passes, and readings of open messages, find their changes."""
    monkeypatch.setattr(polling, "RECENT", 0)
    begin_again()
    polling.poll_messages(seconds=30)
    module_hub.run(INSERT, 601, 600 + len(IDS))
    for place, msg_id in enumerate(IDS, 601):
        module_hub.run("UPDATE {hub}.message SET msg_id = %s WHERE msg_id = %s", msg_id, place)
    yield module_hub
    delete_messages(module_hub)


def delete_messages(hub: AttachedHub) -> None:
    hub.run("DELETE FROM {hub}.message WHERE msg_id = ANY (%s)", IDS)


def pass_in_parts(most: int) -> None:
    """Compare all messages in parts of this many."""
    Polling.objects.update(swept=0, swept_at=None)
    steps = 0
    while Polling.objects.filter(swept_at=None).exists():
        polling.poll_once(most=most, is_first=False)
        steps += 1
        assert steps < 40
    fold_changes()


@pytest.mark.parametrize("most", [2, 3, 4, 5_000])
def test_a_pass_finds_them_their_changes_and_their_deletion(hub, most: int):
    pass_in_parts(most)
    assert set(IDS) <= set(PolledMessage.objects.values_list("pk", flat=True))
    assert counts_by_day() == counted_by_day()
    for msg_id in IDS:
        hub.run(SILENT, "OK", msg_id)
    pass_in_parts(most)
    assert [events(msg_id) for msg_id in IDS] == [[("PROCESSING", "OK", None)]] * len(IDS)
    delete_messages(hub)
    pass_in_parts(most)
    assert not PolledMessage.objects.filter(pk__in=IDS).exists()
    assert counts_by_day() == counted_by_day()


@pytest.mark.parametrize("most", [2, 3, 4])
def test_they_are_read_in_turn_while_they_are_open(hub, most: int):
    pass_in_parts(5_000)
    for msg_id in IDS:
        hub.run(SILENT, "FAILED", msg_id)
    steps = [polling.poll_once(most=most) for _ in range(10)]
    assert sum(step.differences for step in steps) == len(IDS)
    assert [events(msg_id) for msg_id in IDS] == [[("PROCESSING", "FAILED", None)]] * len(IDS)
