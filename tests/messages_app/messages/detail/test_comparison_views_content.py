"""The page that compares two messages, with values that all differ."""

from datetime import timedelta
from types import SimpleNamespace

from messages_app.messages.detail.comparison import Partner, Side
from messages_app.messages.detail.comparison_views import ComparisonOptions
from messages_app.messages.detail.content_views import KINDS
from messages_app.messages.models import Message
from tests.support.factories import NOON
from tests.support.page_outlines import outline_of, show_block

OPTIONS = ComparisonOptions(
    kind="payload", key=None, partner=None, other=None, is_exact=False, is_unified=False
)
ADDRESS = SimpleNamespace(
    of_payload="?payload", of_envelope="?envelope", hidden_params={"kind": "payload", "exact": "true"}
)


def side(number: int, *, kind: str = "payload", key: int | None = None, is_archived: bool = False) -> Side:
    message = Message(
        msg_id=number,
        state="OK" if number == 71 else "FAILED",
        service_name=f"service {number}",
        operation_name=f"operation {number}",
        receive_timestamp=NOON + timedelta(minutes=number - 70),
    )
    return Side(kind=kind, key=key or number, message=message, is_archived=is_archived)


def show(
    other: Side | None, options: ComparisonOptions = OPTIONS, *, block: str = "content", **values: object
) -> str:
    context = {
        "options": options,
        "own": side(71),
        "other": other,
        "msg_id": 71,
        "kind": KINDS[options.kind],
        "choices": [
            {"words": "the previous attempt", "query": "?previous", "is_current": True},
            {"words": "the next attempt", "query": "?next", "is_current": False},
        ],
        "address": ADDRESS,
        "comparison": SimpleNamespace(problem="The payloads are too large.", first_difference=None),
        "masked": False,
    }
    return show_block("messages_app/messages/compare.html", block=block, **context | values)


def options(**changes: object) -> ComparisonOptions:
    return ComparisonOptions(**vars(OPTIONS) | changes)


class TestSides:
    def test_shows_all_values_of_both(self):
        assert outline_of(show(side(72, is_archived=True))) == [
            "Compared with",
            "[72](/messages/72/) {FAILED} FAILED archived",
            "service 72 · operation 72",
            "Received 2026-11-01 12:02:00 UTC",
            "This message",
            "[71](/messages/71/) {OK} OK",
            "service 71 · operation 71",
            "Received 2026-11-01 12:01:00 UTC",
            "(label: Compared messages) * [Payload](?payload)[Envelope](?envelope)",
            "* [The previous attempt](?previous) · [The next attempt](?next)",
            "Another message",
            "<with> (title: Message id)",
            "Compare",
            "The payloads are too large.",
        ]
        assert outline_of(show(side(72), block="heading")) == [
            "Payload compared",
            "[Message 71](/messages/71/)",
        ]

    def test_keeps_the_parameters_of_the_address(self):
        for name, value in ADDRESS.hidden_params.items():
            assert f'<input type="hidden" name="{name}" value="{value}">' in show(side(72))

    def test_shows_attempts_of_requests(self):
        asked = options(kind="request", key=81)
        shown = outline_of(
            show(side(72, kind="request", key=82), asked, own=side(71, kind="request", key=81))
        )
        assert shown == [
            "Compared with",
            "[72](/messages/72/) {FAILED} FAILED Request 82",
            "service 72 · operation 72",
            "Received 2026-11-01 12:02:00 UTC",
            "This message",
            "[71](/messages/71/) {OK} OK Request 81",
            "service 71 · operation 71",
            "Received 2026-11-01 12:01:00 UTC",
            "* [The previous attempt](?previous) · [The next attempt](?next)",
            "Another request",
            "<with> (title: Message id)",
            "Compare",
            "The payloads are too large.",
        ]

    def test_shows_a_request_without_its_message(self):
        lost = Side(kind="request", key=82, message=None)
        assert outline_of(show(lost, options(kind="request", key=81)))[:2] == [
            "Compared with",
            "Request 82 without a stored message",
        ]


class TestEmpty:
    def reason(self, **changes: object) -> list[str]:
        lines = outline_of(show(None, options(**changes)))
        return lines[lines.index("Nothing to compare with") + 1 :]

    def test_says_what_is_missing(self):
        assert self.reason() == [
            (
                "None of the nearest 5 000 messages of this operation is OK, and none of the newest in "
                "the archive."
            ),
            (
                "[View OK messages of this "
                "operation](/messages/?service_name=service+71&operation_name=operation+71&state=OK) "
                "[Back to the message](/messages/71/)"
            ),
        ]
        assert self.reason(other=99)[0] == "There is no message 99."
        assert self.reason(other=99, kind="request", key=81)[0] == "There is no request 99."
        assert (
            self.reason(partner=Partner.PREVIOUS, kind="request", key=81)[0]
            == "This message has no previous attempt at the same address."
        )
        assert (
            self.reason(partner=Partner.NEXT, kind="request", key=81)[0]
            == "This message has no next attempt at the same address."
        )
        assert outline_of(show(None))[:3] == [
            "Compared with",
            "Not found.",
            "This message",
        ]
