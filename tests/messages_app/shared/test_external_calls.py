from datetime import timedelta

import pytest

from messages_app.messages.models import ExternalCall
from messages_app.shared.external_calls import predict_call
from tests.support.factories import NOON, make_external_call, make_message

pytestmark = pytest.mark.django_db

EARLIER, LATER = timedelta(minutes=-1), timedelta(minutes=1)


def outcome_of(call: ExternalCall, message, *, total: bool = False) -> str:
    return str(predict_call(call, message, total=total)[0])


class TestWillBe:
    @pytest.mark.parametrize(
        ("state", "plain"),
        [
            ("OK", "skipped"),
            ("FAILED", "sent_again"),
            ("FAILED_END", "sent_again"),
            ("PROCESSING", "sent_again"),
            ("ODD", "sent_again"),
        ],
    )
    def test_depends_on_the_state_only_in_a_plain_restart(self, state, plain):
        message = make_message(state="FAILED")
        call = make_external_call(message, state=state)
        assert outcome_of(call, message) == plain
        assert outcome_of(call, message, total=True) == "sent_again"

    @pytest.mark.parametrize(
        ("state", "age", "expected"),
        [
            ("OK", EARLIER, "skipped"),
            ("FAILED", EARLIER, "skipped"),
            ("OK", LATER, "sent_again"),
            ("FAILED", LATER, "sent_again"),
        ],
    )
    def test_compares_the_age_of_the_message_with_the_row(self, state, age, expected):
        message = make_message(state="FAILED")
        call = make_external_call(message, state=state, msg_timestamp=message.msg_timestamp - age)
        assert outcome_of(call, message) == expected

    def test_warns_that_a_busy_call_fails_the_attempt(self):
        message = make_message(state="FAILED")
        assert (
            "E112" in predict_call(make_external_call(message, state="PROCESSING"), message, total=False)[1]
        )

    def test_sends_a_confirmation_again_whatever_its_state(self):
        message = make_message(state="FAILED")
        call = make_external_call(message, state="OK", operation_name="confirmation")
        assert outcome_of(call, message) == "sent_again"

    def test_skips_the_call_of_a_newer_message_in_every_restart(self):
        older = make_message(state="FAILED", msg_timestamp=NOON)
        newer = make_message(state="OK", msg_timestamp=NOON + LATER)
        call = make_external_call(newer)
        assert outcome_of(call, older) == outcome_of(call, older, total=True) == "skipped"
        assert str(newer.pk) in predict_call(call, older, total=True)[1]
