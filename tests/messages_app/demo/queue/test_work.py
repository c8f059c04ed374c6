import pytest

from messages_app.cp_queue.worker.client import Message
from messages_app.cp_queue.worker.work import Function, TryAgain
from messages_app.demo.queue import work


def asked(object_id: int) -> Message:
    return Message(guid="0" * 32, queue="RENDITION", object_id=object_id, object_type=65_536, token="")


class TestIndex:
    def test_is_well(self):
        assert Function("messages_app.demo.queue.work:index")(asked(40)) == "OK"


class TestRender:
    def test_fails_for_some_objects_and_tries_others_again(self):
        assert work.render(asked(1)) == "OK"
        assert work.render(asked(40)).startswith("FAILED")
        with pytest.raises(TryAgain):
            work.render(asked(55))
