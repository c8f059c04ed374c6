"""The pages of messages of the CP queue with values that all differ."""

from dataclasses import replace

from django.http import QueryDict

from messages_app.audit.models import AuditEntry
from messages_app.core.pages import ReasonForm
from messages_app.core.pagination.paginator import Page
from messages_app.cp_queue.selectors import Described, Outlook
from messages_app.cp_queue.states import Queue
from messages_app.cp_queue.views.lists import DispatchesForm, MessagesForm
from messages_app.cp_queue.views.messages import DispatchForm, ServiceForm
from tests.messages_app.cp_queue.views.shown_rows import dispatch, markup_of, moment, show
from tests.support.page_outlines import outline_of

GUID = "ABCDEFGHIJ"
RESERVED = "Reserved since"
CREATE = "/cp-queue/create/?object_id=77&object_type=65541&others=Q1"
OUTLOOK = Outlook(
    newer=31,
    replaced_by="ZYXWVUTSRQ",
    paused_at=None,
    pollers=32,
    holder_polled_at=moment(3),
    is_from_future=False,
    is_holder_silent=True,
)


def described(**columns: object) -> Described:
    values = {
        "messageguid": GUID,
        "queuename": "Q1",
        "osid": 77,
        "ostype": 65_541,
        "created": moment(1),
        "lock_service": "W1",
        "state": "reserved",
        "not_before": moment(4),
        "attempts": 12,
        "reserved_at": moment(2),
    }
    return Described(**values | columns)


def markup(message: Described | None, *, block: str = "cp_content", **values: object) -> str:
    context = {
        "guid": GUID,
        "message": message,
        "about": Queue(consumer="render", purpose="Renders documents"),
        "may_be_created": True,
        "outlook": OUTLOOK,
        "why": ["It waits.", "It will be deleted by:"],
        "type_parts": (1, 5),
        "log": [dispatch(21)],
        "actions": [
            AuditEntry(at=moment(41), actor="ana", action="reset_cp_message", outcome="done", reason="dead"),
            AuditEntry(
                at=moment(42), actor="ben", action="delete_cp_message", outcome="refused", reason="no"
            ),
        ],
        "reset_form": ServiceForm(auto_id="reset_%s"),
        "dispatch_form": DispatchForm(auto_id="dispatch_%s"),
        "delete_form": ReasonForm(auto_id="delete_%s"),
        "send_on_form": ReasonForm(auto_id="send_on_%s"),
    }
    return markup_of("message", block=block, **context | values)


def lines_of(message: Described | None, **values: object) -> list[str]:
    return outline_of(markup(message, **values))


class TestMessage:
    def test_shows_all_values_of_a_reserved_message(self):
        assert lines_of(described(), block="cp_words") == [
            "{reserved} (title: Held by a service until it is dispatched or reset.) reserved"
        ]
        assert lines_of(described()) == [
            "[Messages](/cp-queue/messages/)",
            "Status",
            "It waits.",
            "It will be deleted by: [ZYXWVUTS…](/cp-queue/messages/ZYXWVUTSRQ/)",
            "GUID: ABCDEFGHIJ",
            "Queue: [Q1](/cp-queue/queue/?queuename=Q1)",
            "Renders documents",
            "Object: [77](/cp-queue/objects/77/)",
            "Object type: 65541",
            "main type 1, sub type 5",
            "Created: 2026-11-02 12:01:00 UTC",
            "Reserved by: [W1](/cp-queue/messages/?lock_service=W1)",
            f"{RESERVED}: 2026-11-02 12:02:00 UTC",
            "Last poll of the service: 2026-11-02 12:03:00 UTC",
            "Attempts: 12",
            "Available from: 2026-11-02 12:04:00 UTC",
            "*",
            "Reset message",
            "(/cp-queue/messages/ABCDEFGHIJ/reset/)",
            (
                "Releases the message for any service. If W1 is still alive, it continues and the object "
                "is processed twice. Its own dispatch will then be rejected."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reset message",
            "Dispatch for a dead service",
            "(/cp-queue/messages/ABCDEFGHIJ/dispatch/)",
            "Dispatches the message on behalf of W1.",
            "Dispatch reason",
            "<said>",
            "OK removes it as done, RETRY releases it for later, any other text removes it as failed.",
            "<OK>",
            "<RETRY>",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Dispatch message",
            "Dispatches",
            "Dispatches of this message, newest first",
            "Time | Outcome | Reason | Service | Held for",
            (
                "2026-11-02 12:25:00 @2026-11-02T12:25:00Z | {done} (title: Dispatched with OK and "
                "removed.) done attempt 2 021 | reason 21 by user-21 for the service | W21 | 3 min also "
                "for 1 021 more"
            ),
            "Operator actions",
            "Operator actions on this message, newest first",
            "Time | User | Action | Outcome | Reason",
            "2026-11-02 12:41:00 UTC | ana | Reset cp message | {done} done | dead",
            "2026-11-02 12:42:00 UTC | ben | Delete cp message | {refused} refused | no",
        ]

    def test_shows_one_that_can_be_sent_on(self):
        message = described(state="parked", lock_service=None, not_before=None)
        lines = lines_of(message, about=None, log=[], actions=[], refusal="It has moved on.")
        assert lines == [
            "[Messages](/cp-queue/messages/)",
            "It has moved on. Nothing was changed.",
            "Status",
            "It waits.",
            "It will be deleted by: [ZYXWVUTS…](/cp-queue/messages/ZYXWVUTSRQ/)",
            "GUID: ABCDEFGHIJ",
            "Queue: [Q1](/cp-queue/queue/?queuename=Q1) (title: Not documented by the vendor) unknown",
            "Object: [77](/cp-queue/objects/77/)",
            "Object type: 65541",
            "main type 1, sub type 5",
            "Created: 2026-11-02 12:01:00 UTC",
            "Attempts: 12",
            "*",
            "Send on",
            "(/cp-queue/messages/ABCDEFGHIJ/send-on/)",
            "Makes the message available now and resets its attempts.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Send message on",
            "Delete message",
            "(/cp-queue/messages/ABCDEFGHIJ/delete/)",
            (
                "Deletes the message, so object 77 is not processed for it. This cannot be undone. A newer "
                "message of the object stays."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Delete message",
        ]
        for state, offers in (("deferred", True), ("parked", True), ("free", False)):
            assert ("Send on" in lines_of(described(state=state))) == offers

    def test_warns_that_its_service_is_alive(self):
        alive = replace(OUTLOOK, is_holder_silent=False)
        lines = lines_of(described(), outlook=alive)
        assert any("W1 is alive and continues: the object is processed twice." in words for words in lines)
        assert any("The service is alive and will dispatch it itself." in words for words in lines)
        assert not any("is alive" in words for words in lines_of(described()))

    def test_offers_a_newer_one_where_it_would_help(self):
        behind = replace(OUTLOOK, replaced_by=None)
        free = described(state="free", lock_service=None)
        offer = (
            f"[Create a newer message for its object]({CREATE}): it goes first, and its pickup also removes "
            "this one."
        )
        assert offer in lines_of(free, outlook=behind)
        assert offer not in lines_of(free)
        assert offer not in lines_of(described(), outlook=behind)
        assert offer not in lines_of(free, outlook=behind, may_be_created=False)
        assert offer not in lines_of(free, outlook=behind, may_steer=False)
        first = replace(OUTLOOK, replaced_by=None, newer=0)
        assert offer not in lines_of(free, outlook=first)
        assert "A newer message of the object stays." not in str(lines_of(free, outlook=behind))

    def test_says_that_it_is_gone(self):
        assert lines_of(None, block="cp_words") == ["no longer in the queue"]
        gone = lines_of(None, actions=[])
        assert gone[:4] == [
            "[Messages](/cp-queue/messages/)",
            "This message is no longer in the queue: it was dispatched. See its dispatches below.",
            "Dispatches",
            "queue Q21, object [521](/cp-queue/objects/521/)",
        ]
        assert lines_of(None, log=[], actions=[])[1:] == [
            (
                "This message is no longer in the queue. It was deleted, or coalesced into a newer message "
                "of its object."
            ),
        ]

    def test_offers_nothing_to_users_who_may_not_steer(self):
        lines = lines_of(described(), may_steer=False)
        assert not any(words.startswith("(/cp-queue") for words in lines)
        unknown = lines_of(described(reserved_at=None))
        assert f"{RESERVED}: unknown" in unknown

    def test_shows_the_errors_of_its_forms(self):
        form = DispatchForm(QueryDict("said=&reason="), auto_id="dispatch_%s")
        lines = lines_of(described(), dispatch_form=form)
        assert "Enter OK, RETRY or an error text." in lines
        assert markup(described(), dispatch_form=form).count('<details class="panel" open>') == 2
        assert markup(described()).count('<details class="panel" open>') == 1
        free = described(state="free", lock_service=None)
        refused = ReasonForm(QueryDict("reason="), auto_id="delete_%s")
        assert '<details class="panel" open>' in markup(free, delete_form=refused)
        assert '<details class="panel" open>' not in markup(free)


def stored(number: int, **columns: object) -> Described:
    values = {
        "messageguid": f"{number}ABCDEFGH",
        "queuename": f"Q{number}",
        "osid": number + 100,
        "ostype": number + 200,
        "created": moment(number),
        "lock_service": None,
        "state": "free",
        "not_before": None,
        "attempts": 0,
        "reserved_at": None,
    }
    return Described(**values | columns)


class TestMessages:
    def show(self, query: str = "", **values: object) -> list[str]:
        context = {
            "form": MessagesForm(QueryDict(query), allowed=MessagesForm.filters.keys()),
            "problem": None,
            "is_narrowed": bool(query),
            "list": "/cp-queue/messages/",
            "page": Page(rows=[], next_cursor=None, previous_cursor=None),
            "newer": "?newer",
            "older": "?older",
            "lines": [
                (stored(11), 41),
                (stored(12, state="reserved", lock_service="W1", reserved_at=moment(2)), 42),
                (stored(13, state="reserved", lock_service="W2"), 43),
                (stored(14, state="deferred", attempts=31, not_before=moment(3)), 44),
                (stored(15, state="parked", attempts=1), 45),
            ],
        }
        return show("messages", **context | values)

    def test_shows_all_their_values(self):
        lines = self.show()
        assert lines[lines.index("Filter") :] == [
            "Filter",
            "* [All](?)",
            "[Free](?state=free)",
            "[Reserved](?state=reserved)",
            "[Deferred](?state=deferred)",
            "[Parked](?state=parked)",
            "* [Newest first](?ordering=-created)",
            "[Oldest first](?ordering=created)",
            "Messages in the queue, by creation time",
            "Message | State | Queue | Object | Created | Waiting",
            (
                "[11ABCDEF…](/cp-queue/messages/11ABCDEFGH/) | {free} (title: Waiting for a service to "
                "pick it up.) free | [Q11](/cp-queue/queue/?queuename=Q11) | [111](/cp-queue/objects/111/) "
                "type 211 | 2026-11-02 12:11:00 @2026-11-02T12:11:00Z | @2026-11-02T12:11:00Z (svg "
                "viewbox=0 0 100 1) {free} (rect width=41 height=1)"
            ),
            (
                "[12ABCDEF…](/cp-queue/messages/12ABCDEFGH/) | {reserved} (title: Held by a service until "
                "it is dispatched or reset.) reserved by W1, for @2026-11-02T12:02:00Z | "
                "[Q12](/cp-queue/queue/?queuename=Q12) | [112](/cp-queue/objects/112/) type 212 | "
                "2026-11-02 12:12:00 @2026-11-02T12:12:00Z | –"
            ),
            (
                "[13ABCDEF…](/cp-queue/messages/13ABCDEFGH/) | {reserved} (title: Held by a service until "
                "it is dispatched or reset.) reserved by W2 | [Q13](/cp-queue/queue/?queuename=Q13) | "
                "[113](/cp-queue/objects/113/) type 213 | 2026-11-02 12:13:00 @2026-11-02T12:13:00Z | –"
            ),
            (
                "[14ABCDEF…](/cp-queue/messages/14ABCDEFGH/) | {deferred} (title: Waiting after a retry.) "
                "deferred 31 attempts, due some time ago | [Q14](/cp-queue/queue/?queuename=Q14) | "
                "[114](/cp-queue/objects/114/) type 214 | 2026-11-02 12:14:00 @2026-11-02T12:14:00Z | "
                "@2026-11-02T12:14:00Z (svg viewbox=0 0 100 1) {deferred} (rect width=44 height=1)"
            ),
            (
                "[15ABCDEF…](/cp-queue/messages/15ABCDEFGH/) | {parked} (title: No attempts left: an "
                "operator must send it on.) parked 1 attempt | [Q15](/cp-queue/queue/?queuename=Q15) | "
                "[115](/cp-queue/objects/115/) type 215 | 2026-11-02 12:15:00 @2026-11-02T12:15:00Z | "
                "@2026-11-02T12:15:00Z (svg viewbox=0 0 100 1) {parked} (rect width=45 height=1)"
            ),
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]

    def test_says_that_there_are_none(self):
        part = Page(rows=[], next_cursor=None, previous_cursor=None, looked_until=(1, 2))
        assert self.show(lines=[])[-3:] == [
            "The queue is empty",
            "Messages appear here when a system creates work for an object.",
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]
        assert self.show("osid=5", lines=[], page=part)[-5:] == [
            "No messages found so far",
            (
                "It may have been dispatched, or coalesced into a newer message. See the [dispatch "
                "log](/cp-queue/dispatches/) or the page of its object."
            ),
            "[Show all messages](/cp-queue/messages/)",
            "(label: Pages) [Newer](?newer) [Older](?older)",
            "Only part of the list was searched. The next page continues.",
        ]
        assert "No messages found" in self.show("osid=5", lines=[])


class TestDispatches:
    def show(self, query: str = "", **values: object) -> list[str]:
        context = {
            "form": DispatchesForm(QueryDict(query), allowed=DispatchesForm.filters.keys()),
            "problem": "slow",
            "is_narrowed": bool(query),
            "list": "/cp-queue/dispatches/",
            "page": Page(rows=[], next_cursor=None, previous_cursor=None),
            "lines": [dispatch(21), dispatch(22, actor="", attempts=0, reserved_at=None, collapsed=0)],
        }
        return show("dispatches", **context | values)

    def test_show_all_their_values(self):
        lines = self.show()
        assert lines[lines.index("Filter") :] == [
            "Filter",
            "* [All](?)",
            "[Done](?outcome=done)",
            "[Failed](?outcome=failed)",
            "[Retry](?outcome=deferred)",
            "[Parked](?outcome=parked)",
            "[15 min](?at_from=-15m)",
            "[1 h](?at_from=-1h)",
            "[24 h](?at_from=-24h)",
            "[7 d](?at_from=-7d)",
            "* [Any time](?)",
            "Dispatches, newest first",
            "Time | Outcome | Reason | Queue | Object | Service | Held for | Message",
            (
                "2026-11-02 12:25:00 @2026-11-02T12:25:00Z | {done} (title: Dispatched with OK and "
                "removed.) done attempt 2 021 | reason 21 by user-21 for the service | Q21 | "
                "[521](/cp-queue/objects/521/) | W21 | 3 min also for 1 021 more | "
                "[21ABCDEF…](/cp-queue/messages/21ABCDEFGH/)"
            ),
            (
                "2026-11-02 12:26:00 @2026-11-02T12:26:00Z | {done} (title: Dispatched with OK and "
                "removed.) done | reason 22 | Q22 | [522](/cp-queue/objects/522/) | W22 | (title: Reserved "
                "outside the console.) unknown | [22ABCDEF…](/cp-queue/messages/22ABCDEFGH/)"
            ),
        ]
