import pytest

from messages_app.messages.acting.effects import effects_of_cancel, effects_of_restart
from messages_app.messages.inspecting.detail import message_detail
from tests.factories import make_external_call, make_message

pytestmark = pytest.mark.django_db


def restart(message, *, total=False) -> str:
    return " ".join(effects_of_restart(message_detail(message.pk), total=total))


def cancel(message) -> str:
    return " ".join(effects_of_cancel(message_detail(message.pk)))


class TestEffectsOfRestart:
    @pytest.mark.parametrize(("failed", "tries"), [(0, None), (2, "goes on from there"), (3, "one more try")])
    def test_tells_the_tries_that_are_left(self, failed, tries):
        text = restart(make_message(state="FAILED", failed_count=failed))
        assert "60 to 120 seconds" in text
        assert (tries or "failed") not in text if tries is None else tries in text

    def test_tells_which_calls_are_made_again(self):
        message = make_message(state="FAILED")
        make_external_call(message, state="OK")
        make_external_call(message, state="FAILED")
        make_external_call(message, state="FAILED", operation_name="confirmation")
        assert "1 external call that went through before is not made again" in restart(message)
        assert "1 external call that did not go through is made again" in restart(message)
        assert "1 that went through before among them" in restart(message, total=True)

    def test_warns_of_children_and_of_order(self):
        message = make_message(state="FAILED", guaranteed_order=True)
        make_message(parent_msg_id=message.pk)
        assert "second time" in restart(message)
        assert "E121" in restart(message)


class TestEffectsOfCancel:
    def test_tells_that_it_is_only_a_request_while_the_hub_works(self):
        assert "only a request" in cancel(make_message(state="PROCESSING"))
        assert "only a request" not in cancel(make_message(state="POSTPONED"))

    def test_warns_of_the_family(self):
        parent = make_message(state="POSTPONED")
        child = make_message(state="POSTPONED", parent_msg_id=parent.pk)
        assert "children are not cancelled" in cancel(parent)
        assert "may wait for ever" in cancel(child)
