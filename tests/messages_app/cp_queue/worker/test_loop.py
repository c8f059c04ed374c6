"""The worker continues when the server disappears in the middle of a call."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice

import pytest

from messages_app.cp_queue.worker.client import Client, Message, Refused
from messages_app.cp_queue.worker.loop import Worker, iterate_pauses
from tests.support.local_server import LocalHandler, LocalServer, run_server

GUID = "A" * 32


class Flaky(LocalServer):
    """A server that answers each call after the script: a body, a status, or None, which loses the answer."""

    def __init__(self, script: list[tuple[str, object]]) -> None:
        super().__init__(Answering)
        self.script = script
        self.called: list[str] = []


class Answering(LocalHandler):
    # Connections stay open, and are closed once they are idle for this long, as gunicorn does.
    protocol_version = "HTTP/1.1"
    timeout = 1.2

    def answer(self, body: bytes) -> None:
        call = self.path.rstrip("/").rpartition("/")[2]
        self.server.called.append(call)
        expected, answer = self.server.script.pop(0)
        assert call == expected, (call, expected)
        if answer is None:
            self.close_connection = True
            return
        status, body = (answer, {"code": "x", "detail": "y"}) if isinstance(answer, int) else (200, answer)
        self.send_json(status, body)


RESET = ("reset-service", {"return_code": 0, "released": 0})
NEXT = (
    "get-next",
    {"MessageGUID": GUID, "ObjectID": 1, "ObjectType": 2, "QueueName": "RENDITION", "Token": "B" * 32},
)
EMPTY = ("get-next", {"MessageGUID": ""})
DONE = ("dispatch", {"outcome": "done"})


@pytest.fixture
def serve() -> Iterator[object]:
    with ExitStack() as servers:
        yield lambda *script: servers.enter_context(run_server(Flaky(list(script))))


def work(server: Flaky, *, most: int = 1, pause: float = 0.05) -> list[Message]:
    """Let a worker process the given number of messages; return those it worked on."""
    worked: list[Message] = []
    client = Client(address=f"http://127.0.0.1:{server.server_port}", token="t", service="W1")
    Worker(
        client,
        lambda message: worked.append(message) or "OK",
        queues="RENDITION",
        shortest=pause / 5,
        longest=pause,
    ).run(most=most)
    client.close()
    return worked


class TestRun:
    def test_polls_again_if_nothing_is_free(self, serve):
        server = serve(RESET, EMPTY, EMPTY, NEXT, DONE)
        assert [message.guid for message in work(server)] == [GUID]
        assert not server.script

    def test_does_not_take_a_connection_that_the_server_closed_for_a_lost_answer(self, serve):
        server = serve(RESET, EMPTY, EMPTY, NEXT, DONE)
        assert len(work(server, pause=15.0)) == 1
        assert server.called == ["reset-service", "get-next", "get-next", "get-next", "dispatch"]

    def test_resets_before_it_polls_again_after_a_lost_answer(self, serve):
        server = serve(RESET, ("get-next", None), RESET, NEXT, DONE)
        assert len(work(server)) == 1
        assert server.called == ["reset-service", "get-next", "reset-service", "get-next", "dispatch"]

    def test_sends_a_dispatch_again_until_it_is_answered(self, serve):
        server = serve(RESET, NEXT, ("dispatch", None), ("dispatch", 503), ("dispatch", 404))
        assert len(work(server)) == 1
        assert not server.script

    @pytest.mark.parametrize("refusal", [403, 404, 409])
    def test_continues_after_its_message_was_taken_from_it(self, serve, refusal):
        server = serve(RESET, NEXT, ("dispatch", refusal), NEXT, DONE)
        assert len(work(server, most=2)) == 2

    @pytest.mark.parametrize(
        ("call", "refusal"), [("reset-service", 401), ("get-next", 409), ("dispatch", 400)]
    )
    def test_ends_if_it_is_refused(self, serve, call, refusal):
        script = {"reset-service": [], "get-next": [RESET], "dispatch": [RESET, NEXT]}[call]
        server = serve(*script, (call, refusal))
        with pytest.raises(Refused) as refused:
            work(server)
        assert (refused.value.status, refused.value.code) == (refusal, "x")

    def test_waits_for_a_server_that_is_away(self, serve):
        server = serve(("reset-service", 503), ("reset-service", None), RESET, NEXT, DONE)
        assert len(work(server)) == 1


class TestPauses:
    def test_double_up_to_the_longest_and_differ_between_workers(self):
        whole = [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
        for _ in range(20):
            taken = list(islice(iterate_pauses(0.2, 5.0), len(whole)))
            assert all(pause / 2 <= one <= pause for one, pause in zip(taken, whole, strict=True))
        assert len({next(iterate_pauses(0.2, 5.0)) for _ in range(20)}) > 1
