"""Services pull from the CP queue, against a dictionary of what is free and what is held."""

from dataclasses import dataclass

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from messages_app.cp_queue.errors import MessageConflict, MessageNotFound
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import pause_queue, resume_queue
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.services.reset import reset_service
from tests.stateful.machine import StoredMachine, check
from tests.support.queues import ADA, store

QUEUES, SERVICES = ["RENDITION", "PAGECOUNT"], ["W1", "W2"]
REASONS = ["OK", "RETRY", "no file"]


@dataclass
class Item:
    queue: str
    osid: int
    age: int  # seconds
    held_by: str | None = None
    is_deferred: bool = False


class Queue(StoredMachine):
    def __init__(self) -> None:
        super().__init__()
        self.items: dict[str, Item] = {}
        self.paused: set[str] = set()
        self.stored = 0

    @rule(queue=st.sampled_from(QUEUES), osid=st.integers(1, 3), age=st.integers(0, 50))
    def is_filled(self, queue: str, osid: int, age: int) -> None:
        self.stored += 1
        guid = store(str(self.stored), queue, osid, age=f"{age} seconds")
        self.items[guid] = Item(queue, osid, age)

    @rule(queues=st.sets(st.sampled_from(QUEUES), min_size=1), service=st.sampled_from(SERVICES))
    def is_pulled_from(self, queues: set[str], service: str) -> None:
        picked = get_next(queues=sorted(queues), service=service)
        free = {
            guid: item
            for guid, item in self.items.items()
            if item.held_by is None and not item.is_deferred and item.queue in queues - self.paused
        }
        if not free:
            assert picked is None
            return
        newest = max(free, key=lambda guid: (-free[guid].age, guid))
        assert picked.guid == newest
        taken = self.items[newest]
        taken.held_by = service
        for guid, item in list(self.items.items()):
            # A newer one, which waits after a retry, stays.
            is_older = (-item.age, guid) < (-taken.age, newest)
            if is_older and (item.queue, item.osid, item.held_by) == (taken.queue, taken.osid, None):
                del self.items[guid]

    @rule(data=st.data(), service=st.sampled_from(SERVICES), reason=st.sampled_from(REASONS))
    def is_answered(self, data: st.DataObject, service: str, reason: str) -> None:
        guid = data.draw(st.sampled_from([*sorted(self.items), "0" * 32]))
        item = self.items.get(guid)
        if item is None:
            refusal = MessageNotFound
        elif item.held_by != service:
            refusal = MessageConflict
        else:
            dispatch_message(guid=guid, service=service, reason=reason)
            item.held_by, item.is_deferred = None, True
            if reason != "RETRY":
                del self.items[guid]
            return
        with pytest.raises(refusal):
            dispatch_message(guid=guid, service=service, reason=reason)

    @rule(service=st.sampled_from(SERVICES))
    def loses_a_service(self, service: str) -> None:
        held = [item for item in self.items.values() if item.held_by == service]
        assert reset_service(service=service, actor=ADA, reason="r") == len(held)
        for item in held:
            item.held_by = None

    @rule(queue=st.sampled_from(QUEUES))
    def is_paused_or_goes_on(self, queue: str) -> None:
        change = resume_queue if queue in self.paused else pause_queue
        assert change(queue=queue, actor=ADA, reason="r")
        self.paused ^= {queue}

    @invariant()
    def has_the_messages_of_the_model(self) -> None:
        found = {
            row.messageguid: (row.queuename, row.osid, row.lock_service) for row in CpMessage.objects.all()
        }
        assert found == {guid: (item.queue, item.osid, item.held_by) for guid, item in self.items.items()}


@pytest.mark.django_db
class TestCpQueue:
    def test_agrees_with_the_model(self):
        check(Queue)
