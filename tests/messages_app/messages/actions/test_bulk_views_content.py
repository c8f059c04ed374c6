"""The pages of an action on several messages with numbers that all differ."""

import re

from messages_app.core.reason_form import ReasonForm
from messages_app.messages.actions.bulk import Candidate, Outcome, Plan
from messages_app.messages.available_actions import ACTIONS
from messages_app.messages.models import Message
from tests.support.page_outlines import outline_of, show_block


def message(msg_id: int, state: str) -> Message:
    return Message(
        msg_id=msg_id, state=state, service_name=f"service-{msg_id}", operation_name=f"operation-{msg_id}"
    )


CANDIDATES = [
    Candidate(msg_id=11, message=message(11, "FAILED"), why_not=""),
    Candidate(msg_id=12, message=message(12, "FAILED"), why_not=""),
    Candidate(msg_id=13, message=message(13, "OK"), why_not="It is OK."),
    Candidate(msg_id=14, message=None, why_not="There is no such message."),
    Candidate(msg_id=15, message=message(15, "PARTLY_FAILED"), why_not="It is retried."),
]
PLAN = Plan(candidates=CANDIDATES, calls=[("direct:crm", 31, 32), ("direct:erp", 33, 0)], calls_more=True)


def show(plan: Plan, *, action: str = "restart", block: str = "content", **values: object) -> str:
    context = {
        "spec": ACTIONS[action],
        "plan": plan,
        "pickup": (41, 42),
        "form": ReasonForm(),
        "list_query": "?state=FAILED",
    }
    return show_block("messages_app/messages/bulk_action.html", block=block, **context | values)


class TestBulkAction:
    def test_shows_all_its_numbers(self):
        assert outline_of(show(PLAN, block="heading"))[1:] == ["5 selected"]
        assert outline_of(show(PLAN)) == [
            "2 will be restarted 3 cannot be {FAILED} FAILED 2{OK} OK 1{PARTLY_FAILED} PARTLY_FAILED 1",
            "The hub picks them up 41 to 42 s after the restart, oldest first.",
            "External calls sent again",
            (
                "32 of them already succeeded and will be repeated. The external systems may process them "
                "twice."
            ),
            "External calls that are sent again, by operation",
            "Operation | Sent again | Already succeeded",
            "direct:crm | 31 | 32",
            "direct:erp | 33 |",
            "Counted among the first 5 000 calls; there are more.",
            "Each message",
            "Selected messages",
            "Message | State | Service / operation | Allowed",
            "[11](/messages/11/) | {FAILED} FAILED | service-11 · operation-11 | yes",
            "[12](/messages/12/) | {FAILED} FAILED | service-12 · operation-12 | yes",
            "[13](/messages/13/) | {OK} OK | service-13 · operation-13 | no It is OK.",
            "[14](/messages/14/) | | | no There is no such message.",
            (
                "[15](/messages/15/) | {PARTLY_FAILED} PARTLY_FAILED | service-15 · operation-15 | no It "
                "is retried."
            ),
            "(/messages/act/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Messages whose state changes meanwhile are skipped.",
            "Restart 2 messages",
            "[Back to the list](/messages/?state=FAILED)",
        ]

    def test_sends_back_what_it_showed(self):
        hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', show(PLAN))
        assert [each for each in hidden if each[0] != "csrfmiddlewaretoken"] == [
            ("action", "restart"),
            ("list_query", "?state=FAILED"),
            ("target", "11:FAILED"),
            ("target", "12:FAILED"),
        ]

    def test_shows_nothing_about_calls_of_a_cancel(self):
        lines = outline_of(show(PLAN, action="cancel"))
        assert lines[:3] == [
            "2 will be cancelled 3 cannot be {FAILED} FAILED 2{OK} OK 1{PARTLY_FAILED} PARTLY_FAILED 1",
            "Each message",
            "Selected messages",
        ]
        assert "External calls sent again" not in lines
        assert "c-button-danger-main" in show(PLAN, action="cancel")
        assert "c-button-danger-main" not in show(PLAN)

    def test_says_that_none_can_be_changed(self):
        none = Plan(candidates=CANDIDATES[2:], calls=[], calls_more=False)
        lines = outline_of(show(none))
        assert "External calls sent again" not in lines
        assert lines[-3:] == [
            "(/messages/act/)",
            "None of these messages can be restarted.",
            "[Back to the list](/messages/?state=FAILED)",
        ]

    def test_shows_calls_that_did_not_succeed_before(self):
        calm = Plan(candidates=CANDIDATES[:1], calls=[("direct:erp", 33, 0)], calls_more=False)
        lines = outline_of(show(calm))
        assert not any("already succeeded and will be" in line or "there are more" in line for line in lines)
        assert "direct:erp | 33 |" in lines
        assert any(line.startswith("Restart 1 message") for line in lines)
        assert not any("cannot be" in line for line in lines)
        nothing = Plan(candidates=CANDIDATES[:1], calls=[], calls_more=False)
        assert "No calls recorded." in outline_of(show(nothing))


class TestBulkResult:
    def show(self, **values: object) -> str:
        context = {
            "spec": ACTIONS["restart"],
            "done": 51,
            "refused": 52,
            "reason": "the target is back",
            "outcomes": [
                Outcome(msg_id=61, result="done", state="PARTLY_FAILED", why=""),
                Outcome(msg_id=62, result="refused", state="OK", why="It is OK."),
                Outcome(msg_id=63, result="refused", state="", why="It is gone."),
            ],
            "list_query": "?state=FAILED",
        }
        return show_block("messages_app/messages/bulk_result.html", **context | values)

    def test_shows_all_its_numbers(self):
        assert outline_of(self.show()) == [
            "51 restarted, 52 not changed. Reason: the target is back",
            "Each message",
            "Outcome of each message",
            "Message | Outcome | Current state | Reason",
            "[61](/messages/61/) | done | {PARTLY_FAILED} PARTLY_FAILED |",
            "[62](/messages/62/) | refused | {OK} OK | It is OK.",
            "[63](/messages/63/) | refused | | It is gone.",
            "[Back to the messages](/messages/?state=FAILED)",
        ]
        assert "is-warning" in self.show()

    def test_warns_only_of_what_was_refused(self):
        assert outline_of(self.show(refused=0))[0] == "51 restarted. Reason: the target is back"
        assert "is-success" in self.show(refused=0)
