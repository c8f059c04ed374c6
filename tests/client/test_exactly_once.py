"""The decorator of the client: a document is processed once, also if the program is killed."""

import os
import signal
import subprocess
import sys
import uuid

import pytest

from tests.support.eventually import eventually
from tests.support.histories import make_trigger

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def trigger() -> str:
    return str(make_trigger("orders").trigger_id)


class TestExactlyOnce:
    def test_calls_the_function_for_new_documents_only(self, hub, trigger):
        booked: list[int] = []

        @hub.exactly_once(trigger=trigger, uuid=lambda order: f"order-{order}")
        def book(order: int) -> str:
            booked.append(order)
            return f"booked {order}"

        assert [book(1), book(1), book(2)] == ["booked 1", None, "booked 2"]
        assert booked == [1, 2]
        assert book.__name__ == "book"

    def test_does_not_repeat_a_function_that_failed(self, hub, trigger):
        @hub.exactly_once(trigger=trigger, uuid=lambda order: order)
        def book(order: str) -> None:
            raise KeyError(order)

        with pytest.raises(KeyError):
            book("A")
        assert book("A") is None

    def test_takes_a_uuid_and_refuses_none(self, hub, trigger):
        book = hub.exactly_once(trigger=trigger, uuid=lambda order: order)(lambda order: "booked")
        assert [book(uuid.UUID(int=7)), book(str(uuid.UUID(int=7)))] == ["booked", None]
        with pytest.raises(ValueError, match="no UUID"):
            book("")

    def test_refuses_a_function_of_the_other_client(self, hub, trigger, token):
        from hubconsole_client import AsyncClient

        async def wait() -> None:
            """Do nothing."""

        once = {"trigger": trigger, "uuid": lambda: "A"}
        with pytest.raises(TypeError, match="is asynchronous"):
            hub.exactly_once(**once)(wait)
        with pytest.raises(TypeError, match="must be asynchronous"):
            AsyncClient("http://127.0.0.1:9", token).exactly_once(**once)(lambda: None)

    def test_leaves_the_document_of_a_killed_program_in_doubt(
        self, hub, live_server, token, trigger, installed, tmp_path
    ):
        program = f"""
import pathlib, time
from hubconsole_client import Client
hub = Client({live_server.url!r}, {token!r})
@hub.exactly_once(trigger={trigger!r}, uuid=lambda order: order)
def book(order):
    pathlib.Path({str(tmp_path / "began")!r}).touch()
    time.sleep(60)
book("A")
"""
        running = subprocess.Popen(
            [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": str(installed)}
        )
        eventually((tmp_path / "began").exists)
        running.send_signal(signal.SIGKILL)
        running.wait()

        assert hub.document_history.check(trigger_id=trigger, uuid="A")["status"] == "IN_DOUBT"

    def test_does_not_call_the_function_without_a_decision(self, token, trigger):
        from hubconsole_client import Client, Unreachable

        called: list[str] = []
        with Client("http://127.0.0.1:9", token, patience=0) as hub:
            book = hub.exactly_once(trigger=trigger, uuid=lambda order: order)(called.append)
            with pytest.raises(Unreachable):
                book("A")
        assert called == []
