"""The page that asks for a reason, with the effects, the attempts and the calls of a restart."""

from dataclasses import replace
from datetime import timedelta

from django.http import QueryDict

from messages_app.messages.actions.effects import Effect, EffectCode
from messages_app.messages.actions.planned_calls import LastRequest, PlannedCall
from messages_app.messages.actions.preview import RestartPreview, WillBe
from messages_app.messages.actions.views import ActionForm
from messages_app.messages.available_actions import ACTIONS
from messages_app.messages.models import Message
from tests.support.factories import NOON
from tests.support.page_outlines import outline_of, show_block

MESSAGE = Message(
    msg_id=71, state="FAILED", service_name="billing", operation_name="createInvoice", correlation_id="c-72"
)


def effect(code: EffectCode, text: str, *msg_ids: int, is_warning: bool = False) -> Effect:
    return Effect(code=code, text=text, msg_ids=msg_ids, is_warning=is_warning)


def call(number: int, will_be: WillBe, state: str, **values: object) -> PlannedCall:
    columns = {
        "call_id": number,
        "msg_id": 71,
        "operation_name": f"operation {number}",
        "entity_id": f"e-{number}",
        "state": state,
        "will_be": will_be,
        "why": f"reason {number}",
        "is_repeated": False,
        "last_request": None,
    }
    return PlannedCall(**columns | values)


PREVIEW = RestartPreview(
    msg_id=71,
    state="FAILED",
    total=False,
    allowed=True,
    why_not="",
    failed_count=3,
    tries_left=2,
    picked_up_from=NOON + timedelta(seconds=41),
    picked_up_until=NOON + timedelta(seconds=102),
    calls=[
        call(
            11,
            WillBe.SENT_AGAIN,
            "OK",
            is_repeated=True,
            last_request=LastRequest(req_id=91, req_timestamp=NOON + timedelta(minutes=7)),
        ),
        call(12, WillBe.SKIPPED, "FAILED_END"),
        call(13, WillBe.SENT_AGAIN, "PROCESSING"),
        call(14, WillBe.SENT_AGAIN, "FAILED", is_repeated=True),
    ],
    calls_more=True,
    correction=None,
    parent=effect(EffectCode.PARENT_HEALS, "Its parent 81 heals.", 81),
    children=effect(EffectCode.CHILDREN_TWICE, "Its children 82 and 83 run twice.", 82, 83, is_warning=True),
    order=effect(EffectCode.ORDER_FIRST, "It is the first."),
    funnel=None,
    archive=effect(EffectCode.ARCHIVE_LATER, "The archive takes it later."),
)


def show(
    preview: RestartPreview | None = PREVIEW,
    *,
    action: str = "restart",
    block: str = "content",
    query: str = "",
) -> str:
    effects = preview.effects if preview else [effect(EffectCode.CANCEL_FIRM, "Cancelling is final.")]
    initial = {"expected_state": "FAILED", "total": ACTIONS[action].total, "list_query": query}
    return show_block(
        "messages_app/messages/confirm.html",
        block=block,
        message=MESSAGE,
        form=ActionForm(initial=initial),
        spec=ACTIONS[action],
        list_query=query,
        preview=preview,
        effects=effects,
    )


def calls(preview: RestartPreview) -> list[str]:
    return outline_of(show(preview), within="External calls")


class TestConfirmation:
    def test_shows_all_effects_of_a_restart(self):
        assert outline_of(show(query="?state=FAILED")) == [
            "{FAILED} FAILED billingcreateInvoice c-72",
            "What will happen",
            "[Restart from scratch instead](?state=FAILED&total=true)",
            "It has failed 3 times, and the count continues: 2 attempts are left.",
            (
                "If restarted now, the hub picks it up between 12:00:41 UTC and 12:01:42 UTC, or later "
                "if the hub is busy."
            ),
            "Warning: Its children [82](/messages/82/) and [83](/messages/83/) run twice.",
            "It is the first.",
            "Its parent [81](/messages/81/) heals.",
            "The archive takes it later.",
            "External calls",
            "1 skipped 3 sent again",
            (
                "2 of them already succeeded and will be repeated. The external systems may process "
                "them twice."
            ),
            "What happens to each external call",
            "Will be | Current state | Operation | Reason",
            (
                "sent again | {OK} OK | operation 11 e-11 | reason 11 Last request "
                "[91](/messages/71/requests/91/), 2026-11-01 12:07:00 UTC"
            ),
            "skipped | {FAILED_END} FAILED_END | operation 12 e-12 | reason 12",
            "sent again | {PROCESSING} PROCESSING | operation 13 e-13 | reason 13",
            "sent again | {FAILED} FAILED | operation 14 e-14 | reason 14",
            "Only the first calls are shown. The others are treated the same way.",
            "(/messages/71/restart/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Restart message",
            "[Back to the message](/messages/71/?state=FAILED)",
        ]
        assert outline_of(show(block="heading")) == [
            "Restart message 71",
        ]

    def test_shows_the_effects_of_a_cancel(self):
        assert outline_of(show(None, action="cancel")) == [
            "{FAILED} FAILED billingcreateInvoice c-72",
            "What will happen",
            "Cancelling is final.",
            "(/messages/71/cancel/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Cancel message",
            "[Back to the message](/messages/71/)",
        ]

    def test_offers_the_other_kind_of_restart(self):
        assert [line for line in outline_of(show()) if "instead" in line] == [
            "[Restart from scratch instead](?total=true)",
        ]
        assert [
            line for line in outline_of(show(action="total", query="?state=FAILED")) if "instead" in line
        ] == [
            "[Skip completed calls instead](?state=FAILED&total=false)",
        ]

    def test_marks_warnings_and_buttons_without_return(self):
        assert show().count('<li class="is-warning">') == 1
        assert "c-button-danger-main" not in show()
        assert "c-button-danger-main" in show(None, action="cancel")

    def test_sends_what_the_user_saw(self):
        for name, value in (("expected_state", "FAILED"), ("total", "True"), ("list_query", "?state=FAILED")):
            assert f'<input type="hidden" name="{name}" value="{value}"' in show(
                action="total", query="?state=FAILED"
            )

    def test_asks_for_a_reason(self):
        markup = show_block(
            "messages_app/messages/confirm.html",
            message=MESSAGE,
            form=ActionForm(QueryDict("reason=")),
            spec=ACTIONS["cancel"],
            list_query="",
            effects=[],
        )
        assert outline_of(markup)[-5:] == [
            "Reason (recorded in the audit log)",
            "<reason>",
            "Enter a reason. It is recorded in the audit log.",
            "Cancel message",
            "[Back to the message](/messages/71/)",
        ]


class TestTries:
    def lines(self, failed: int, left: int) -> list[str]:
        return outline_of(show(replace(PREVIEW, failed_count=failed, tries_left=left)))[3:6]

    def test_draws_and_counts_the_attempts(self):
        assert self.lines(0, 5) == [
            "It has not failed yet: 5 attempts are left.",
            (
                "If restarted now, the hub picks it up between 12:00:41 UTC and 12:01:42 UTC, or later "
                "if the hub is busy."
            ),
            "Warning: Its children [82](/messages/82/) and [83](/messages/83/) run twice.",
        ]
        assert self.lines(1, 4) == [
            "It has failed 1 time, and the count continues: 4 attempts are left.",
            (
                "If restarted now, the hub picks it up between 12:00:41 UTC and 12:01:42 UTC, or later "
                "if the hub is busy."
            ),
            "Warning: Its children [82](/messages/82/) and [83](/messages/83/) run twice.",
        ]
        assert self.lines(5, 1) == [
            "{FAILED}",
            "It has failed 5 times: it gets exactly one more attempt, and fails permanently if that fails.",
            (
                "If restarted now, the hub picks it up between 12:00:41 UTC and 12:01:42 UTC, or later "
                "if the hub is busy."
            ),
        ]
        for failed, left, drawn in ((0, 5, (0, 5)), (3, 2, (3, 2)), (12, 11, (10, 10))):
            markup = show(replace(PREVIEW, failed_count=failed, tries_left=left))
            assert (markup.count('class="is-failed"'), markup.count('class="is-left"')) == drawn


class TestCalls:
    def test_shows_each_call(self):
        assert calls(PREVIEW) == [
            "External calls",
            "1 skipped 3 sent again",
            (
                "2 of them already succeeded and will be repeated. The external systems may process "
                "them twice."
            ),
            "What happens to each external call",
            "Will be | Current state | Operation | Reason",
            (
                "sent again | {OK} OK | operation 11 e-11 | reason 11 Last request "
                "[91](/messages/71/requests/91/), 2026-11-01 12:07:00 UTC"
            ),
            "skipped | {FAILED_END} FAILED_END | operation 12 e-12 | reason 12",
            "sent again | {PROCESSING} PROCESSING | operation 13 e-13 | reason 13",
            "sent again | {FAILED} FAILED | operation 14 e-14 | reason 14",
            "Only the first calls are shown. The others are treated the same way.",
        ]

    def test_warns_only_of_calls_that_are_repeated(self):
        assert not [line for line in calls(replace(PREVIEW, calls=PREVIEW.calls[1:3])) if "twice" in line]
        assert not [line for line in calls(replace(PREVIEW, calls_more=False)) if "Only the first" in line]

    def test_says_that_none_is_recorded(self):
        assert calls(replace(PREVIEW, calls=[])) == [
            "External calls",
            (
                "No calls recorded: all its calls are made again. Calls taken over by a newer message "
                "are listed there."
            ),
        ]
        assert calls(replace(PREVIEW, calls=[], failed_count=0)) == [
            "External calls",
            (
                "No calls recorded: all its calls are made. Calls taken over by a newer message are "
                "listed there."
            ),
        ]
