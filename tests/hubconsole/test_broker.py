import time

import psutil
import redis
from django.conf import settings

from hubconsole.celery import app
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
