"""The page of a message with values that all differ."""

from dataclasses import replace

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.selectors.messages import Described
from messages_app.cp_queue.selectors.pickup_forecast import Outlook
from messages_app.cp_queue.states import QUEUES, State
from messages_app.cp_queue.views.messages import _make_forms
from tests.messages_app.cp_queue.views.shown_queue import dispatch, guid, moment, show

RESERVED = Described(
    messageguid=guid(11),
    queuename="RENDITION",
    osid=52,
    ostype=65_538,
    created=moment(13),
    lock_service="w-14",
    state=State.RESERVED,
    not_before=None,
    attempts=1_015,
    reserved_at=moment(16),
)
OUTLOOK = Outlook(
    newer=21,
    replaced_by=guid(22),
    paused_at=None,
    pollers=23,
    holder_polled_at=moment(24),
    is_from_future=False,
    is_holder_silent=True,
)


def message_page(message: Described | None, **values: object) -> list[str]:
    context = {
        "guid": guid(11),
        "message": message,
        "about": message and QUEUES.get(message.queuename),
        "may_be_created": True,
        "outlook": OUTLOOK,
        "why": [("It is reserved.", None), ("It will go with", guid(22))],
        "type_parts": (1, 2),
        "log": [dispatch(31)],
        "actions": [
            AuditEntry(
                at=moment(32), action="reset_cp_message", outcome="done", actor="dora", reason="lunch"
            ),
            AuditEntry(
                at=moment(33), action="delete_cp_message", outcome="refused", actor="emil", reason="no right"
            ),
        ],
        **_make_forms(message),
    }
    return show("message", **context | values)


def free(state: State = State.FREE, **columns: object) -> Described:
    return replace(RESERVED, lock_service=None, reserved_at=None, state=state, **columns)


class TestMessage:
    def test_shows_all_its_values(self):
        assert message_page(RESERVED) == [
            "Status",
            "It is reserved.",
            "It will go with [00000022…](/cp-queue/messages/00000022ABABABABABABABABABABABAB/)",
            "GUID: 00000011ABABABABABABABABABABABAB",
            "Queue: [RENDITION](/cp-queue/queue/?queuename=RENDITION)",
            "Make a rendition of a document",
            "Object: [52](/cp-queue/objects/52/)",
            "Object type: 65538",
            "main type 1, sub type 2",
            "Created: 2026-11-02 12:13:00 UTC",
            "Reserved by: [w-14](/cp-queue/messages/?lock_service=w-14)",
            ": ".join(["Reserved since", "2026-11-02 12:16:00 UTC"]),
            "Last poll of the service: 2026-11-02 12:24:00 UTC",
            "Attempts: 1 015",
            "*",
            "Reset message",
            "(/cp-queue/messages/00000011ABABABABABABABABABABABAB/reset/)",
            (
                "Releases the message for any service. If w-14 is still alive, it continues and the "
                "object is processed twice. Its own dispatch will then be rejected."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reset message",
            "Dispatch for a dead service",
            "(/cp-queue/messages/00000011ABABABABABABABABABABABAB/dispatch/)",
            "Dispatches the message on behalf of w-14.",
            "Dispatch reason",
            "<result>",
            "OK: done and removed. RETRY: released for later. Any other text: failed and removed.",
            "<OK>",
            "<RETRY>",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Dispatch message",
            "Dispatches",
            "Dispatches of this message, newest first",
            "Time | Outcome | Service | Reason | Held for",
            (
                "@2026-11-02T12:31:00Z | {done} (title: Dispatched with OK and removed.) done attempt "
                "1 031 also for 2 031 more of its object | w-31 | reason 31 by user 31 for the "
                "service | 62 min"
            ),
            "Operator actions",
            "Operator actions on this message, newest first",
            "Time | User | Action | Outcome | Reason",
            "2026-11-02 12:32:00 UTC | dora | Reset cp message | {done} done | lunch",
            "2026-11-02 12:33:00 UTC | emil | Delete cp message | {refused} refused | no right",
        ]

    def test_warns_of_a_holder_that_is_alive(self):
        lines = message_page(RESERVED, outlook=replace(OUTLOOK, is_holder_silent=False))
        assert [line for line in lines if "alive" in line] == [
            (
                "Releases the message for any service. w-14 is alive and continues: the object is "
                "processed twice. Its own dispatch will then be rejected."
            ),
            "Dispatches the message on behalf of w-14. The service is alive and will dispatch it itself.",
        ]

    def test_shows_what_a_free_one_lacks(self):
        lines = message_page(
            free(not_before=moment(17), queuename="OCR"), log=[], actions=[], why=[("It is free.", None)]
        )
        assert lines == [
            "Status",
            "It is free.",
            "GUID: 00000011ABABABABABABABABABABABAB",
            "Queue: [OCR](/cp-queue/queue/?queuename=OCR) (title: Not documented by the vendor) unknown",
            "Object: [52](/cp-queue/objects/52/)",
            "Object type: 65538",
            "main type 1, sub type 2",
            "Created: 2026-11-02 12:13:00 UTC",
            "Attempts: 1 015",
            "Available from: 2026-11-02 12:17:00 UTC",
            "Delete message",
            "(/cp-queue/messages/00000011ABABABABABABABABABABABAB/delete/)",
            (
                "Deletes the message. Object 52 will not be processed for it. This cannot be undone. A "
                "newer message of the object stays."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Delete message",
        ]

    def test_offers_to_create_a_newer_one_only_for_one_that_waits_behind_others(self):
        behind = replace(OUTLOOK, replaced_by=None)

        def is_offered(message: Described, outlook: Outlook, **values: object) -> bool:
            lines = message_page(message, outlook=outlook, why=[("It is free.", None)], **values)
            return any("Create a newer" in line for line in lines)

        assert is_offered(free(), behind)
        assert not is_offered(free(), replace(behind, newer=0))
        assert not is_offered(free(), OUTLOOK)
        assert not is_offered(free(State.DEFERRED), behind)
        assert not is_offered(free(), behind, may_steer=False)
        assert not is_offered(free(), behind, may_be_created=False)

    def test_sends_on_only_what_waits_after_a_retry(self):
        sent = [
            state for state in State if state != State.RESERVED and "Send on" in message_page(free(state))
        ]
        assert sent == [State.DEFERRED, State.PARKED]
        assert "Delete message" not in message_page(free(), may_steer=False)

    def test_shows_one_that_is_gone(self):
        gone = message_page(None, actions=[])
        assert gone == [
            "This message is no longer in the queue: it was dispatched. See its dispatches below.",
            "Dispatches",
            "queue Q31, object [81](/cp-queue/objects/81/)",
            "Dispatches of this message, newest first",
            "Time | Outcome | Service | Reason | Held for",
            (
                "@2026-11-02T12:31:00Z | {done} (title: Dispatched with OK and removed.) done attempt "
                "1 031 also for 2 031 more of its object | w-31 | reason 31 by user 31 for the "
                "service | 62 min"
            ),
        ]
        assert message_page(None, log=[], refusal="It is reserved.")[:2] == [
            "It is reserved. Nothing was changed.",
            (
                "This message is no longer in the queue. It was deleted, or coalesced into a newer "
                "message of its object."
            ),
        ]
