"""Each call of a worker sends all members of its body, and returns the values of the answer."""

import json
from collections.abc import Callable, Iterator

import pytest

from messages_app.cp_queue.worker.client import Client, Message, Refused, Unreachable, _read_answer
from tests.support.local_server import LocalHandler, LocalServer, run_server

MESSAGE = Message(guid="A" * 32, queue="OCR", object_id=71, object_type=82, token="B" * 32)
OBJECT = {"ObjectID": 71, "ObjectType": 82}
PICKED = OBJECT | {"MessageGUID": "A" * 32, "QueueName": "OCR", "Token": "B" * 32, "return_code": 0}


class Recorder(LocalServer):
    """A server that keeps each request and answers it with `content`."""

    content: dict[str, object]
    request: tuple[str, str | None, object]


class Answering(LocalHandler):
    def answer(self, body: bytes) -> None:
        self.server.request = (self.path, self.headers["Authorization"], json.loads(body))
        self.send_json(200, self.server.content)


@pytest.fixture(scope="module")
def server() -> Iterator[Recorder]:
    with run_server(Recorder(Answering)) as recorder:
        yield recorder


class TestCalls:
    @pytest.mark.parametrize(
        ("call", "path", "body", "answer", "returned"),
        [
            (
                lambda client: client.get_next("OCR,NEW"),
                "get-next",
                {"QueueNames": "OCR,NEW", "ServiceName": "W1", "WantToken": True},
                PICKED,
                MESSAGE,
            ),
            (
                lambda client: client.get_next("OCR"),
                "get-next",
                {"QueueNames": "OCR", "ServiceName": "W1", "WantToken": True},
                {"return_code": 0, "MessageGUID": ""},
                None,
            ),
            (
                lambda client: client.dispatch(MESSAGE, "no file"),
                "dispatch",
                {
                    "MessageGUID": "A" * 32,
                    "ServiceName": "W1",
                    "Reason": "no file",
                    "Token": "B" * 32,
                },
                {"return_code": 0},
                None,
            ),
            (Client.reset, "reset-service", {"ServiceName": "W1"}, {"return_code": 0, "released": 93}, 93),
            (
                lambda client: client.object_info(MESSAGE),
                "object-info",
                OBJECT,
                {"return_code": 0, "PageCount": 93},
                {"return_code": 0, "PageCount": 93},
            ),
            (
                lambda client: client.full_text(MESSAGE),
                "object-full-text",
                OBJECT,
                {"return_code": 0, "Text": "words"},
                {"return_code": 0, "Text": "words"},
            ),
            (
                lambda client: client.rendition_changed(MESSAGE, "PREVIEW"),
                "rendition-changed",
                OBJECT | {"Reason": "PREVIEW", "ServiceName": "W1"},
                {"return_code": 0, "created": 93},
                93,
            ),
            (
                lambda client: client.process_page_count(4),
                "process-page-count",
                {"Count": 4},
                {"return_code": 0, "counted": [{"PageCount": 93}]},
                [{"PageCount": 93}],
            ),
        ],
    )
    def test_send_all_members_and_return_the_answer(
        self,
        server: Recorder,
        call: Callable[[Client], object],
        path: str,
        body: dict[str, object],
        answer: dict[str, object],
        returned: object,
    ):
        server.content = answer
        client = Client(address=f"http://127.0.0.1:{server.server_port}/hub/", token="t-1", service="W1")
        assert call(client) == returned
        assert server.request == (f"/hub/api/v1/cp-queue/{path}/", "Token t-1", body)
        client.close()

    @pytest.mark.parametrize("address", ["ftp://x", "127.0.0.1:8000", "http://", ""])
    def test_need_the_address_of_a_server(self, address):
        with pytest.raises(ValueError, match="is not a server address"):
            Client(address=address, token="t", service="W1")


class TestAnswers:
    @pytest.mark.parametrize("status", [200, 201])
    def test_are_bodies_of_success(self, status):
        assert _read_answer(status, b'{"return_code": 0}') == {"return_code": 0}

    @pytest.mark.parametrize(
        ("status", "content", "text"),
        [
            (429, b'{"detail": "Too many."}', "429: Too many."),
            (500, b"<h1>Error</h1>", "500: <h1>Error</h1>"),
            (503, b'{"detail": ""}', '503: {"detail": ""}'),
            (502, b'["Bad gateway"]', '502: ["Bad gateway"]'),
        ],
    )
    def test_of_a_server_that_is_away_are_unreachable(self, status, content, text):
        with pytest.raises(Unreachable) as error:
            _read_answer(status, content)
        assert str(error.value) == text

    @pytest.mark.parametrize(
        ("status", "content", "code", "text"),
        [
            (
                409,
                b'{"code": "lease_lost", "detail": "It is lost."}',
                "lease_lost",
                "409 lease_lost: It is lost.",
            ),
            (499, b"gone", "", "499 : gone"),
            (302, b"{}", "", "302 : {}"),
            (200, b"<h1>Log in</h1>", "", "200 : <h1>Log in</h1>"),
            (404, b"null", "", "404 : null"),
        ],
    )
    def test_of_a_refusal_have_its_status_and_code(self, status, content, code, text):
        with pytest.raises(Refused) as error:
            _read_answer(status, content)
        assert (error.value.status, error.value.code, str(error.value)) == (status, code, text)
