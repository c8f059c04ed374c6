"""The pages of an object and of the next pickup, and the log, with values that all differ."""

from dataclasses import replace
from datetime import UTC, datetime

from messages_app.core.reason_form import ReasonForm
from messages_app.cp_queue.selectors import ObjectMessage, Preview
from messages_app.cp_queue.states import QUEUES, State
from messages_app.cp_queue.views.objects import InQueue
from tests.messages_app.cp_queue.views.shown_queue import dispatch, guid, moment, show


class TestObject:
    def message(self, number: int, state: State = State.FREE, **columns: object) -> ObjectMessage:
        values = {
            "guid": guid(number),
            "queue": "RENDITION",
            "object_type": 65_000 + number,
            "created": datetime(2020 + number, 5, 6, 12, number, tzinfo=UTC),
            "state": state,
            "service": None,
            "not_before": None,
            "attempts": number,
            "reserved_at": None,
            "is_collapsible": False,
            "overlaps": False,
        }
        return ObjectMessage(**values | columns)

    def show(self, *messages: ObjectMessage, queue: str = "RENDITION", **values: object) -> list[str]:
        queues = [InQueue(queue=queue, is_known=queue in QUEUES, messages=list(messages))] if messages else []
        context = {"osid": 52, "queues": queues, "contradicts": False, "is_cut": False, "log": []}
        return show("object", **context | values)

    def test_shows_all_values_of_each_message(self):
        held = {"service": "w-1", "reserved_at": moment(3), "overlaps": True}
        lines = self.show(
            self.message(1, State.RESERVED, **held),
            self.message(2, State.RESERVED, **held | {"service": "w-2", "reserved_at": None}),
            self.message(3, is_collapsible=True),
            self.message(4, State.DEFERRED, not_before=datetime(2023, 7, 8, tzinfo=UTC)),
            self.message(5, State.PARKED),
            self.message(0),
            contradicts=True,
            is_cut=True,
            log=[dispatch(31)],
        )
        assert lines == [
            "[Create messages for this object](/cp-queue/create/?object_id=52&object_type=65001)",
            (
                "The queue has messages both to index it and to remove it from the index. The newest "
                "is picked up first and they do not replace each other, so the indexer must check "
                "whether the object exists."
            ),
            "[RENDITION](/cp-queue/queue/?queuename=RENDITION)",
            "the next pickup deletes 1",
            (
                "Services hold 2 messages of this object at the same time (w-1, w-2). The older "
                "result may arrive last."
            ),
            "{reserved}",
            (
                "{reserved} (title: Held by a service until it is dispatched or reset.) reserved "
                "[00000001…](/cp-queue/messages/00000001ABABABABABABABABABABABAB/) created 2021-05-06 "
                "12:01:00 UTC, 2021-05 ago · type 65001"
            ),
            "held by w-1 for @2026-11-02T12:03:00Z; not affected by a pickup · 1 attempt",
            "{reserved}",
            (
                "{reserved} (title: Held by a service until it is dispatched or reset.) reserved "
                "[00000002…](/cp-queue/messages/00000002ABABABABABABABABABABABAB/) created 2022-05-06 "
                "12:02:00 UTC, 2022-05 ago · type 65002"
            ),
            "held by w-2, since an unknown time; not affected by a pickup · 2 attempts",
            "{free}",
            (
                "{free} (title: Waiting for a service to pick it up.) free "
                "[00000003…](/cp-queue/messages/00000003ABABABABABABABABABABABAB/) created 2023-05-06 "
                "12:03:00 UTC, 2023-05 ago · type 65003"
            ),
            "deleted by the next pickup of this object in this queue · 3 attempts",
            "{deferred}",
            (
                "{deferred} (title: Waiting after a retry.) deferred "
                "[00000004…](/cp-queue/messages/00000004ABABABABABABABABABABABAB/) created 2024-05-06 "
                "12:04:00 UTC, 2024-05 ago · type 65004"
            ),
            "after a retry, due @2023-07-08T00:00:00Z · 4 attempts",
            "{parked}",
            (
                "{parked} (title: No attempts left: an operator must send it on.) parked "
                "[00000005…](/cp-queue/messages/00000005ABABABABABABABABABABABAB/) created 2025-05-06 "
                "12:05:00 UTC, 2025-05 ago · type 65005"
            ),
            "parked after its last attempt · 5 attempts",
            "{free}",
            (
                "{free} (title: Waiting for a service to pick it up.) free "
                "[00000000…](/cp-queue/messages/00000000ABABABABABABABABABABABAB/) created 2020-05-06 "
                "12:00:00 UTC, 2020-05 ago · type 65000"
            ),
            "next to be picked up",
            "Only the first 500 of its messages are shown.",
            "Recent dispatches",
            "[View all dispatches](/cp-queue/dispatches/?osid=52)",
            "Dispatches of this object, newest first",
            "Time | Outcome | Object | Queue | Service | Reason | Held for | Message",
            (
                "[@2026-11-02T12:31:00Z](/cp-queue/messages/00000031ABABABABABABABABABABABAB/) | "
                "{done} (title: Dispatched with OK and removed.) done attempt 1 031 also for 2 031 "
                "more of its object | [81](/cp-queue/objects/81/) | Q31 | w-31 | reason 31 by user 31 "
                "for the service | 62 min | "
                "[00000031…](/cp-queue/messages/00000031ABABABABABABABABABABABAB/)"
            ),
        ]

    def test_warns_of_one_service_that_overlaps(self):
        lines = self.show(
            self.message(1, State.RESERVED, service="w-1", overlaps=True), self.message(2), queue="OCR"
        )
        assert lines[1:3] == [
            "[OCR](/cp-queue/queue/?queuename=OCR) (title: Not documented by the vendor) unknown",
            (
                "w-1 works on this object while another message for it is free. Two services may work "
                "on it at the same time, and the older result may arrive last."
            ),
        ]

    def test_says_that_it_is_empty(self):
        assert self.show() == [
            "[Create messages for this object](/cp-queue/create/?object_id=52)",
            "No messages for this object",
            "All its messages were dispatched, or there never were any.",
        ]
        assert self.show(log=[dispatch(31)], may_steer=False)[:2] == [
            "No messages for this object",
            "All its messages were dispatched.",
        ]


class TestPreview:
    found = Preview(
        guid=guid(61),
        queue="RENDITION",
        object_id=62,
        object_type=63,
        created=datetime(2021, 3, 4, 13, 4, tzinfo=UTC),
        collapsed=65,
        held_by=["w-1", "w-2"],
    )

    def show(self, found: Preview | None, **values: object) -> list[str]:
        context = {
            "boxes": [("RENDITION", QUEUES["RENDITION"], True), ("PAGECOUNT", QUEUES["PAGECOUNT"], False)],
            "others": "OCR",
            "is_asked": True,
            "why": ReasonForm(),
            "own_name": "operator:ada",
            "preview": found,
            "queues": ["RENDITION", "OCR"],
        }
        return show("preview", **context | values)

    def test_shows_all_values_of_the_next_message(self):
        assert self.show(self.found) == [
            "Requested queues",
            "Known queues",
            "<queue=RENDITION> * RENDITION",
            "<queue=PAGECOUNT> PAGECOUNT",
            "Other queues (comma-separated)",
            "<others=OCR>",
            "Show next message",
            "Next message",
            (
                "Message [00000061…](/cp-queue/messages/00000061ABABABABABABABABABABABAB/) of object "
                "[62](/cp-queue/objects/62/) from RENDITION"
            ),
            "Created: 2021-03-04 13:04:00 UTC, 2021-03 ago",
            "Object type: 63",
            "Would be deleted: 65 other free messages of the object",
            "w-1, w-2 already work on the same object.",
            (
                "The newest message in all requested queues goes first; the order of the queues does "
                "not matter. The result can change at any moment."
            ),
            "Pick up the message",
            "(/cp-queue/poll/)",
            (
                "Reserves 1 message for operator:ada and deletes 65 others of its object. Workers "
                "cannot get it until you dispatch or reset it on its page."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Pick up message",
        ]

    def test_shows_a_single_message(self):
        alone = replace(self.found, collapsed=0, held_by=[])
        lines = self.show(alone)
        assert lines[lines.index("Next message") :] == [
            "Next message",
            (
                "Message [00000061…](/cp-queue/messages/00000061ABABABABABABABABABABABAB/) of object "
                "[62](/cp-queue/objects/62/) from RENDITION"
            ),
            "Created: 2021-03-04 13:04:00 UTC, 2021-03 ago",
            "Object type: 63",
            "Would be deleted: no other message",
            (
                "The newest message in all requested queues goes first; the order of the queues does "
                "not matter. The result can change at any moment."
            ),
            "Pick up the message",
            "(/cp-queue/poll/)",
            (
                "Reserves 1 message for operator:ada. Workers cannot get it until you dispatch or reset"
                " it on its page."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Pick up message",
        ]
        one = self.show(replace(self.found, collapsed=1, held_by=["w-1"]), may_steer=False)
        assert one[one.index("Next message") + 2 :] == [
            "Created: 2021-03-04 13:04:00 UTC, 2021-03 ago",
            "Object type: 63",
            "Would be deleted: 1 other free message of the object",
            "w-1 already works on the same object.",
            (
                "The newest message in all requested queues goes first; the order of the queues does "
                "not matter. The result can change at any moment."
            ),
        ]

    def test_says_that_it_is_empty(self):
        assert self.show(None)[8:] == [
            "No message",
            "There are no free messages in RENDITION, OCR, or the queues are paused.",
            (
                "The newest message in all requested queues goes first; the order of the queues does "
                "not matter. The result can change at any moment."
            ),
        ]
        assert (
            self.show(None, queues=["OCR"])[9] == "There are no free messages in OCR, or the queue is paused."
        )
        assert self.show(None, error="Select a queue.")[-2:] == [
            "Select a queue.",
            "Show next message",
        ]


class TestLog:
    def test_shows_all_values_of_each_dispatch(self):
        second = dispatch(32, outcome="failed", attempts=0, actor="", reserved_at=None, collapsed=0)
        lines = show("object", osid=52, queues=[], log=[dispatch(31), second])
        assert lines[lines.index("Recent dispatches") :] == [
            "Recent dispatches",
            "[View all dispatches](/cp-queue/dispatches/?osid=52)",
            "Dispatches of this object, newest first",
            "Time | Outcome | Object | Queue | Service | Reason | Held for | Message",
            (
                "[@2026-11-02T12:31:00Z](/cp-queue/messages/00000031ABABABABABABABABABABABAB/) | "
                "{done} (title: Dispatched with OK and removed.) done attempt 1 031 also for 2 031 "
                "more of its object | [81](/cp-queue/objects/81/) | Q31 | w-31 | reason 31 by user 31 "
                "for the service | 62 min | "
                "[00000031…](/cp-queue/messages/00000031ABABABABABABABABABABABAB/)"
            ),
            (
                "[@2026-11-02T12:32:00Z](/cp-queue/messages/00000032ABABABABABABABABABABABAB/) | "
                "{failed} (title: Dispatched with another reason and removed.) failed | "
                "[82](/cp-queue/objects/82/) | Q32 | w-32 | reason 32 | (title: Reserved outside the "
                "console.) unknown | "
                "[00000032…](/cp-queue/messages/00000032ABABABABABABABABABABABAB/)"
            ),
        ]

    def test_cuts_long_reasons(self):
        lines = show("object", osid=52, queues=[], log=[dispatch(31, reason="x" * 201)])
        assert "x" * 199 + "…" in lines[-1]
