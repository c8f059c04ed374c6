import subprocess
import sys

import pytest

from messages_app.cp_queue.models import CpDispatch, CpMessage
from messages_app.cp_queue.worker.client import Client, Message
from messages_app.cp_queue.worker.work import Function, TryAgain
from messages_app.demo import cp_queue_work
from messages_app.message_store.services.attempt import process_message
from tests.support.api_client import caller
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.stores import define, store

pytestmark = pytest.mark.django_db(transaction=True)


def asked(object_id: int) -> Message:
    return Message(guid="0" * 32, queue="RENDITION", object_id=object_id, object_type=65_536, token="")


@pytest.fixture
def token() -> str:
    scopes = ["payload:read", "queue:consume"]
    return caller("cp_service", "view_payload", username="demo", scopes=scopes).token


@pytest.fixture
def client(live_server, token) -> Client:
    client = Client(address=live_server.url, token=token, service="index:8045")
    yield client
    client.close()


class TestIndex:
    def test_succeeds_for_an_unknown_object(self, client):
        assert Function("messages_app.demo.cp_queue_work:index_object", client=client)(asked(40)) == "OK"

    def test_reads_the_words_of_the_document(self, client):
        make_message(object_id="5", payload='<order number="B-7">Grace<item>Grace</item></order>')
        assert cp_queue_work.words_of(asked(5), client) == ["b", "7", "grace"]

    def test_reads_a_document_of_the_store_until_its_dispatch(self, live_server, token, tmp_path):
        define(json_schema={}, processor="cp_queue")
        process_message(store([{"id": 1, "object_id": 7, "object_type": 65_536, "name": "Ada Lovelace"}]))
        assert CpMessage.objects.get().queuename == "FULLTEXTIDX"
        key = tmp_path / "token"
        key.write_text(token)
        worker = subprocess.Popen(
            [
                *(sys.executable, "-m", "messages_app.cp_queue.worker", "--service", "index:8045"),
                *("--queues", "FULLTEXTIDX", "--callable", "messages_app.demo.cp_queue_work:index_object"),
                *("--url", live_server.url, "--token-file", str(key), "--most", "1"),
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            eventually(lambda: CpDispatch.objects.exists())
            told = worker.communicate(timeout=60)[1]
        finally:
            worker.kill()
        assert CpDispatch.objects.get().outcome == "done"
        # 1, 7, 65536, Ada and Lovelace.
        assert "object 7: 5 words" in told


class TestRender:
    def test_fails_for_some_objects_and_retries_others(self, client):
        assert cp_queue_work.render_object(asked(1), client) == "OK"
        assert cp_queue_work.render_object(asked(40), client).startswith("FAILED")
        for _ in range(3):
            with pytest.raises(TryAgain):
                cp_queue_work.render_object(asked(55 * 7), client)
        assert not CpMessage.objects.exists()

    def test_succeeds_at_a_later_attempt_for_most_objects_that_it_retries(self, client):
        outcomes = []
        while "OK" not in outcomes and len(outcomes) < 30:
            try:
                outcomes.append(cp_queue_work.render_object(asked(55), client))
            except TryAgain:
                outcomes.append("RETRY")
        assert outcomes[-1] == "OK"

    def test_indexes_the_text_of_an_object_again(self, client):
        make_message(object_id="5", payload="<a>text</a>")
        assert cp_queue_work.render_object(asked(5), client) == "OK"
        made = CpMessage.objects.get()
        assert (made.queuename, made.osid) == ("FULLTEXTDOC", 5)
