import pytest

from messages_app.messages.actions.views import cancel_effects
from tests.support.factories import NOON, make_message

pytestmark = pytest.mark.django_db


def codes(message) -> list[str]:
    return [effect.code for effect in cancel_effects(message)]


class TestCancelEffects:
    @pytest.mark.parametrize(
        ("state", "code"),
        [
            ("NEW", "cancel_firm"),
            ("IN_QUEUE", "cancel_firm"),
            ("PARTLY_FAILED", "cancel_firm"),
            ("POSTPONED", "cancel_firm"),
            ("PROCESSING", "cancel_requested"),
            ("WAITING", "cancel_requested"),
            ("WAITING_FOR_RES", "cancel_requested"),
        ],
    )
    def test_begins_with_whether_the_cancel_is_final(self, state, code):
        assert codes(make_message(state=state))[0] == code

    def test_ends_with_the_effects_of_every_cancel(self):
        assert codes(make_message(state="POSTPONED"))[1:] == [
            "archive_by_age",
            "not_taken_back",
            "not_confirmed",
        ]

    def test_shows_the_start_of_the_archive_age(self):
        message = make_message(state="POSTPONED", last_process_timestamp=NOON)
        assert "The archive counts its age from 2026-11-01 12:00 UTC, not from the cancel." in " ".join(
            effect.text for effect in cancel_effects(message)
        )

    def test_shows_the_effects_on_parent_and_children(self):
        parent = make_message(state="WAITING")
        message = make_message(state="POSTPONED", parent_msg_id=parent.pk)
        make_message(parent_msg_id=message.pk)
        assert codes(message)[1:3] == ["parent_not_told", "children_go_on"]
