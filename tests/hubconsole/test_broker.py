import socket
import ssl
import threading
import time
from pathlib import Path

import psutil
import pytest
import redis
from django.conf import settings
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from hubconsole.celery import app
from hubconsole.environment import verify_brokers
from tests.support import nginx
from tests.support.eventually import eventually

NO_TASKS = [
    b"not json at all",
    b"\xff\xfe",
    b"5",
    b"null",
    b"[]",
    b"{}",
    b'{"properties": 1}',
    b'{"properties": {}}',
    b'{"properties": {"delivery_tag": 1, "delivery_info": null}}',
    b'{"body": "e30=", "headers": 5, "properties": {"delivery_tag": "x", "delivery_info": {}}}',
    b'{"body": "%%%", "properties": {"delivery_tag": "y", "delivery_info": {}, "body_encoding": "base64"}}',
    b"[" * 100_000,
]


class TestTransport:
    def test_drops_an_invalid_task_and_the_worker_survives(self, db, start_worker):
        queue = f"short-{time.monotonic_ns()}"
        worker = start_worker(queue)
        node = psutil.Process(worker.pid)
        with redis.Redis.from_url(settings.CELERY_BROKER_URL) as broker:
            for text in NO_TASKS:
                broker.lpush(queue, text)
                broker.publish("/0.celery.pidbox", text)
            eventually(lambda: broker.llen(queue) == 0, 60)
        answers = eventually(lambda: app.control.inspect(timeout=2).active_queues(), 60)

        assert queue in {one["name"] for queues in answers.values() for one in queues}
        assert worker.poll() is None
        assert node.is_running()


class TlsServer:
    """A server with a certificate that signs itself, which notes whether a client has accepted it."""

    def __init__(self, folder: Path) -> None:
        nginx.make_certificate(folder, "localhost")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "hub.pem", folder / "hub.key")
        self.accepted: list[bool] = []
        self._socket = socket.create_server(("localhost", 0))
        self.port = self._socket.getsockname()[1]
        self._context = context
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        peer, _ = self._socket.accept()
        self._socket.close()  # The client may not try again.
        with peer:
            try:
                with self._context.wrap_socket(peer, server_side=True) as secure:
                    self.accepted.append(bool(secure.recv(1)))
            except OSError:
                self.accepted.append(False)

    def is_accepted_by(self, url: str) -> bool:
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS | {"max_retries": 1, "interval_start": 0}
        with (
            pytest.raises((RedisError, OperationalError, OSError)),
            Connection(url, transport_options=options) as broker,
        ):
            broker.default_channel.client.ping()
        self._thread.join(10)
        return self.accepted == [True]


class TestTls:
    @pytest.mark.parametrize(
        ("query", "is_accepted"),
        [("", False), ("?ssl_ca_certs={folder}/hub.pem", True), ("?ssl_cert_reqs=none", True)],
    )
    def test_sends_nothing_to_a_server_with_an_unknown_certificate(self, tmp_path, query, is_accepted):
        server = TlsServer(tmp_path)
        address = f"rediss://localhost:{server.port}/0{query.format(folder=tmp_path)}"
        assert server.is_accepted_by(verify_brokers(address)) is is_accepted
