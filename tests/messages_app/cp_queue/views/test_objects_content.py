"""The pages of objects and of the next pickup, with values that all differ."""

from messages_app.core.pages import ReasonForm
from messages_app.cp_queue.selectors import ObjectMessage, Preview
from messages_app.cp_queue.views.objects import InQueue
from tests.messages_app.cp_queue.views.shown_rows import dispatch, markup_of, moment, show


def message(number: int, **columns: object) -> ObjectMessage:
    values = {
        "guid": f"{number}ABCDEFGH",
        "queue": "Q1",
        "object_type": number + 100,
        "created": moment(number),
        "state": "free",
        "service": None,
        "not_before": None,
        "attempts": 0,
        "reserved_at": None,
        "is_collapsible": False,
        "overlaps": False,
    }
    return ObjectMessage(**values | columns)


class TestObject:
    def show(self, *queues: InQueue, **values: object) -> list[str]:
        context = {"osid": 77, "queues": queues, "contradicts": False, "is_cut": False, "log": []}
        return show("object", **context | values)

    def test_shows_all_its_messages(self):
        held = {"state": "reserved", "service": "W1", "reserved_at": moment(1), "overlaps": True}
        first = InQueue(
            queue="Q1",
            is_known=True,
            messages=[
                message(11, attempts=31),
                message(12, **held),
                message(13, **held | {"service": "W2", "reserved_at": None}),
            ],
        )
        second = InQueue(
            queue="Q2",
            is_known=False,
            messages=[
                message(14, state="deferred", not_before=moment(2), attempts=1),
                message(15, state="parked"),
                message(16, is_collapsible=True),
                message(17, is_collapsible=True),
            ],
        )
        lines = self.show(first, second, contradicts=True, is_cut=True, log=[dispatch(21)])
        assert lines == [
            "[Another object](/cp-queue/objects/)",
            "[Create messages for this object](/cp-queue/create/?object_id=77&object_type=111)",
            (
                "The queue has messages both to index it and to remove it from the index. The newest is "
                "picked up first and they do not replace each other, so the indexer must check whether the "
                "object exists."
            ),
            "[Q1](/cp-queue/queue/?queuename=Q1)",
            (
                "Services hold 2 messages of this object at the same time (W1, W2). The older result may "
                "arrive last."
            ),
            "{free}",
            (
                "{free} (title: Waiting for a service to pick it up.) free "
                "[11ABCDEF…](/cp-queue/messages/11ABCDEFGH/) created 2026-11-02 12:11:00 UTC, some time "
                "ago · type 111"
            ),
            "next to be picked up · 31 attempts",
            "{reserved}",
            (
                "{reserved} (title: Held by a service until it is dispatched or reset.) reserved "
                "[12ABCDEF…](/cp-queue/messages/12ABCDEFGH/) created 2026-11-02 12:12:00 UTC, some time "
                "ago · type 112"
            ),
            "held by W1 for @2026-11-02T12:01:00Z; not affected by a pickup",
            "{reserved}",
            (
                "{reserved} (title: Held by a service until it is dispatched or reset.) reserved "
                "[13ABCDEF…](/cp-queue/messages/13ABCDEFGH/) created 2026-11-02 12:13:00 UTC, some time "
                "ago · type 113"
            ),
            "held by W2, since an unknown time; not affected by a pickup",
            "[Q2](/cp-queue/queue/?queuename=Q2) (title: Not documented by the vendor) unknown",
            "the next pickup deletes 2",
            "{deferred}",
            (
                "{deferred} (title: Waiting after a retry.) deferred "
                "[14ABCDEF…](/cp-queue/messages/14ABCDEFGH/) created 2026-11-02 12:14:00 UTC, some time "
                "ago · type 114"
            ),
            "after a retry, due some time ago · 1 attempt",
            "{parked}",
            (
                "{parked} (title: No attempts left: an operator must send it on.) parked "
                "[15ABCDEF…](/cp-queue/messages/15ABCDEFGH/) created 2026-11-02 12:15:00 UTC, some time "
                "ago · type 115"
            ),
            "parked after its last attempt",
            "{free}",
            (
                "{free} (title: Waiting for a service to pick it up.) free "
                "[16ABCDEF…](/cp-queue/messages/16ABCDEFGH/) created 2026-11-02 12:16:00 UTC, some time "
                "ago · type 116"
            ),
            "deleted by the next pickup of this object in this queue",
            "{free}",
            (
                "{free} (title: Waiting for a service to pick it up.) free "
                "[17ABCDEF…](/cp-queue/messages/17ABCDEFGH/) created 2026-11-02 12:17:00 UTC, some time "
                "ago · type 117"
            ),
            "deleted by the next pickup of this object in this queue",
            "Only the first 500 of its messages are shown.",
            "Recent dispatches",
            "[View all dispatches](/cp-queue/dispatches/?osid=77)",
            "Dispatches of this object, newest first",
            "Time | Outcome | Reason | Queue | Object | Service | Held for | Message",
            (
                "2026-11-02 12:25:00 @2026-11-02T12:25:00Z | {done} (title: Dispatched with OK and "
                "removed.) done attempt 2 021 | reason 21 by user-21 for the service | Q21 | "
                "[521](/cp-queue/objects/521/) | W21 | 3 min also for 1 021 more | "
                "[21ABCDEF…](/cp-queue/messages/21ABCDEFGH/)"
            ),
        ]

    def test_warns_of_one_service_beside_a_free_message(self):
        held = message(12, state="reserved", service="W1", overlaps=True)
        lines = self.show(InQueue(queue="Q1", is_known=True, messages=[held, message(13)]))
        assert lines[3] == (
            "W1 works on this object while another message for it is free. Two services may work on it at "
            "the same time, and the older result may arrive last."
        )

    def test_says_that_there_are_none(self):
        assert self.show() == [
            "[Another object](/cp-queue/objects/)",
            "[Create messages for this object](/cp-queue/create/?object_id=77)",
            "No messages for this object",
            "All its messages were dispatched, or there never were any.",
        ]
        assert self.show(log=[dispatch(21)])[3] == "All its messages were dispatched."
        assert "Create messages" not in str(self.show(may_steer=False))

    def test_marks_what_a_pickup_deletes(self):
        queue = InQueue(queue="Q1", is_known=True, messages=[message(11), message(12, is_collapsible=True)])
        markup = markup_of("object", osid=77, queues=[queue])
        assert markup.count('<li class="is-collapsible" data-state="free">') == 1
        assert markup.count('<li class="" data-state="free">') == 1


class TestObjects:
    def test_ask_for_an_id(self):
        assert show("objects", osid="many", error="Enter an object id.") == [
            "Object id",
            "<osid=many>",
            "Enter an object id.",
            "Show object",
        ]
        assert show("objects", osid="", error="")[-2:] == ["<osid=>", "Show object"]
        assert 'aria-invalid="true"' in markup_of("objects", osid="many", error="Enter an object id.")
        assert "aria-invalid" not in markup_of("objects", osid="", error="")


class TestPreview:
    def show(self, **values: object) -> list[str]:
        context = {
            "known": [("Q1", "first", True), ("Q2", "second", False)],
            "others": "X1,X2",
            "is_asked": True,
            "error": "",
            "found": Preview(
                guid="ABCDEFGHIJ",
                queue="Q1",
                object_id=81,
                object_type=82,
                created=moment(1),
                collapsed=83,
                held_by=["W1", "W2"],
            ),
            "asked": ["Q1", "X1"],
            "why": ReasonForm(),
            "own_name": "ana",
        }
        return show("preview", **context | values)

    def test_shows_the_next_message(self):
        assert self.show() == [
            "Requested queues",
            "Known queues",
            "<queue=Q1> * Q1",
            "<queue=Q2> Q2",
            "Other queues (comma-separated)",
            "<others=X1,X2>",
            "Show next message",
            "Next message",
            (
                "Message [ABCDEFGH…](/cp-queue/messages/ABCDEFGHIJ/) of object [81](/cp-queue/objects/81/) "
                "from Q1"
            ),
            "Created: 2026-11-02 12:01:00 UTC, some time ago",
            "Object type: 82",
            "Would be deleted: 83 other free messages of the object",
            "W1, W2 already work on the same object.",
            (
                "The newest message in all requested queues goes first; the order of the queues does not "
                "matter. The result can change at any moment."
            ),
            "Pick up the message",
            "(/cp-queue/poll/)",
            (
                "Reserves 1 message for ana and deletes 83 others of its object. Workers cannot get it "
                "until you dispatch or reset it on its page."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Pick up message",
        ]

    def test_shows_that_there_is_none(self):
        lines = self.show(found=None)
        assert lines[lines.index("Next message") :] == [
            "Next message",
            "No message",
            "There are no free messages in Q1, X1, or the queues are paused.",
            (
                "The newest message in all requested queues goes first; the order of the queues does not "
                "matter. The result can change at any moment."
            ),
        ]
        assert "There are no free messages in Q1, or the queue is paused." in self.show(
            found=None, asked=["Q1"]
        )

    def test_asks_for_queues(self):
        assert "Next message" not in self.show(is_asked=False)
        lines = self.show(error="Select a queue.")
        assert lines[-2:] == ["Select a queue.", "Show next message"]

    def test_lets_an_operator_pick_it_up(self):
        found = Preview(
            guid="A", queue="Q1", object_id=1, object_type=2, created=moment(1), collapsed=1, held_by=["W1"]
        )
        lines = self.show(found=found)
        assert "Would be deleted: 1 other free message of the object" in lines
        assert "W1 already works on the same object." in lines
        assert lines[-4] == (
            "Reserves 1 message for ana and deletes 1 other of its object. Workers cannot get it until you "
            "dispatch or reset it on its page."
        )
        none = Preview(
            guid="A", queue="Q1", object_id=1, object_type=2, created=moment(1), collapsed=0, held_by=[]
        )
        lines = self.show(found=none)
        assert "Would be deleted: no other message" in lines
        assert (
            lines[-4]
            == "Reserves 1 message for ana. Workers cannot get it until you dispatch or reset it on its page."
        )
        assert not any("same object" in words for words in lines)
        assert "Pick up message" not in self.show(may_steer=False)
        assert "Pick up message" not in self.show(found=None)
        refused = ReasonForm({"reason": ""})
        context = {"is_asked": True, "found": found, "asked": ["Q1"], "why": refused}
        markup = markup_of("preview", **context)
        assert "<details open>" in markup
        assert '<input type="hidden" name="queue" value="Q1">' in markup
        assert "<details>" in markup_of("preview", **context | {"why": ReasonForm()})
