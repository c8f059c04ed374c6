"""Real web processes and workers that send to a receiver."""

import json
import time
from collections.abc import Iterator

import pytest
from django.db import connection

from hubconsole.celery import app
from hubconsole.devserver.processes import Process
from messages_app.core.embedded_servers import find_free_port
from messages_app.jobs.models import Job
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.otlp_receiver import OtlpReceiver, ReceivedSpan, receive_telemetry
from tests.support.web_server import Address, Web, web_process, web_server
from tests.support.workers import kill, launch

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "secret-of-ada"
TRACE, CALLER = "ab" * 16, "cd" * 8
TRACED = {"traceparent": f"00-{TRACE}-{CALLER}-01", "baggage": f"x={SECRET}"}
RUN_JOB, WATCH_JOBS = "messages_app.jobs.tasks.run_job", "messages_app.jobs.tasks.watch_jobs"


@pytest.fixture(scope="module")
def receiver() -> Iterator[OtlpReceiver]:
    """Give a receiver to which all processes send that are started for tests of this file."""
    with pytest.MonkeyPatch.context() as monkeypatch, receive_telemetry() as receiver:
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")
        monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "500")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address)
        yield receiver


@pytest.fixture(scope="module")
def started(receiver, django_db_setup, tmp_path_factory) -> Iterator[tuple[int, Process]]:
    """Keep one web server for all tests that do not ask how it was started."""
    with web_process(tmp_path_factory.mktemp("web")) as started:
        yield started


@pytest.fixture
def web(started, receiver, transactional_db) -> Web:
    """Give the web server with a user of this test, and forget the spans of the tests before."""
    receiver.spans.clear()
    return Web(*started)


def wait_for_span(receiver: OtlpReceiver, service: str, name: str, *, trace: str = "") -> ReceivedSpan:
    """Return the first span of a service with this name, in any trace if none is given."""

    def find() -> ReceivedSpan | None:
        spans = [
            span
            for span in receiver.spans
            if (span.service, span.name) == (service, name) and trace in ("", span.trace)
        ]
        return spans[0] if spans else None

    return eventually(find, 120)


def note_connections() -> None:
    """Let the database note the names of the connections that change messages."""
    with connection.cursor() as cursor:
        cursor.execute("""
            CREATE TABLE noted_connection (name text);
            CREATE FUNCTION note_connection() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO noted_connection SELECT current_setting('application_name');
              RETURN NULL;
            END $$;
            CREATE TRIGGER note_connection AFTER UPDATE ON message
               FOR EACH STATEMENT EXECUTE FUNCTION note_connection();
            """)


def noted_connections() -> list[str]:
    """Return the names, and remove what noted them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT name FROM noted_connection")
        names = [name for (name,) in cursor.fetchall()]
        cursor.execute("DROP TABLE noted_connection; DROP FUNCTION note_connection CASCADE")
    return names


@pytest.mark.usefixtures("spark_remote")
class TestTrace:
    @pytest.mark.slow
    def test_goes_from_a_request_over_the_broker_to_statements_and_tasks_of_spark(
        self, receiver, start_worker, web
    ):
        for _ in range(30):
            make_message(state="FAILED", service_name=SECRET)
        note_connections()
        start_worker()
        job = {"kind": "restart", "filter": {"state": "FAILED"}, "reason": SECRET}
        status, _ = web.call(
            "POST", "/api/v1/jobs/", json.dumps(job), {"Content-Type": "application/json"} | TRACED
        )
        assert status == 202
        worker = "hubconsole-spark-worker"
        run = wait_for_span(receiver, worker, f"run/{RUN_JOB}", trace=TRACE)
        request = wait_for_span(receiver, "hubconsole-web", "POST api/v1/jobs/")
        sending = wait_for_span(receiver, "hubconsole-web", f"apply_async/{RUN_JOB}")
        assert {request.trace, sending.trace, run.trace} == {TRACE}
        assert (request.parent, sending.parent, run.parent) == (CALLER, request.id, sending.id)
        claims = [span for span in receiver.spans if span.parent == run.id and span.name == "UPDATE"]
        assert claims[0].attributes["db.query.text"].startswith("UPDATE job")
        plan, chunks, task = (
            wait_for_span(receiver, worker, f"spark/{step}", trace=TRACE)
            for step in ("plan", "chunks", "task")
        )
        assert (plan.parent, chunks.parent, task.parent) == (run.id, run.id, chunks.id)
        number = str(Job.objects.get().pk)
        assert plan.attributes == {"job.id": number, "job.kind": "restart"}
        tasks = [span for span in receiver.spans if span.name == "spark/task"]
        assert chunks.attributes == {
            "job.id": number,
            "job.kind": "restart",
            "spark.chunks": "1",
            "spark.tasks": str(len(tasks)),
        }
        assert sum(int(span.attributes["spark.messages"]) for span in tasks) == 30
        assert noted_connections() == [f"hubconsole-executor {TRACE}"]
        for span in tasks:
            assert chunks.began <= span.began < span.ended <= chunks.ended
        assert [span for span in receiver.spans if SECRET in span.text] == []


class TestWeb:
    def test_sends_no_paths_queries_or_addresses(self, receiver, web):
        addresses = [
            Address(f"/keys/{SECRET}/", is_api=False),
            Address(f"/messages/?source_system={SECRET}", is_api=False),
            Address(f"/nowhere/{SECRET}/", is_api=False),
            Address(f"/api/v1/keys/?value={SECRET}", is_api=True),
            Address("/health/", is_api=False),
        ]
        assert [answer.status for answer in web.get_all(addresses)] == [200, 200, 404, 200, 503]
        page = wait_for_span(receiver, "hubconsole-web", "GET keys/<key:value>/")
        wait_for_span(receiver, "hubconsole-web", "GET messages/")
        wait_for_span(receiver, "hubconsole-web", "GET api/v1/keys/")
        wait_for_span(receiver, "hubconsole-web", "GET")
        name = "http.server.request.duration"
        points = eventually(lambda: receiver.metrics.get(("hubconsole-web", name)))
        assert page.attributes == {
            "http.request.method": "GET",
            "http.response.status_code": "200",
            "http.route": "keys/<key:value>/",
            "network.protocol.version": "1.1",
            "url.scheme": "http",
        }
        assert [span.name for span in receiver.spans if "health" in span.name] == []
        assert {key for point in points for key in point} <= page.attributes.keys()
        assert [span for span in receiver.spans if SECRET in span.text or "127.0.0.1" in span.text] == []
        assert SECRET not in str(receiver.metrics)

    @pytest.mark.slow
    def test_gives_a_refused_host_the_usual_headers(self, web):
        status, headers = web.call("GET", "/messages/", headers={"Host": "evil.example"})
        assert status == 400
        assert headers["X-Request-ID"]
        assert headers["Content-Security-Policy"]

    @pytest.mark.slow
    def test_serves_and_stops_while_nothing_receives(self, monkeypatch, tmp_path):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{find_free_port()}")
        with web_server(tmp_path) as web:
            assert web.get(Address("/messages/", is_api=False)).status == 200
            began = time.monotonic()
        assert time.monotonic() - began < 20


class TestPreforkWorker:
    def test_continues_the_trace_of_a_message(self, receiver, django_db_setup):
        worker = launch("short", 1, {})
        try:
            app.send_task(WATCH_JOBS, queue="short", headers=TRACED)
            run = wait_for_span(receiver, "hubconsole-short-worker", f"run/{WATCH_JOBS}")
        finally:
            kill(worker)
        assert (run.trace, run.parent) == (TRACE, CALLER)
        assert run.attributes["celery.task_name"] == WATCH_JOBS
