"""The lines of logs: composed here, and written by real workers and a real web server."""

import io
import json
import logging
import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from opentelemetry.trace import NonRecordingSpan, SpanContext, use_span

from hubconsole.devserver import programs
from hubconsole.log_lines import JsonFormatter, LineFormatter
from messages_app.core.embedded_servers import find_free_port
from tests.hubconsole import failing_tasks
from tests.support.eventually import eventually
from tests.support.parameters import quick_first
from tests.support.workers import database_of_tests, kill

FORGED = "\r\n2026-11-21 10:00:00,000 INFO audit: ada may\x1b[2K\u2028\u202e!"


SECRET = "canary-of-a-payload"
# PostgreSQL's text for a row, over several lines because of its payload.
REFUSED = f'new row violates "amount"\nDETAIL:  Failing row contains (7, <a>\n{SECRET}</a>).\nHINT:  none'
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR|CRITICAL) [\w.]+: .+")
QUEUE = "tests-of-log-lines"
OF_TESTS = ("--queues", QUEUE, "--include", failing_tasks.__name__)


@pytest.fixture
def written(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """Give what a logger writes as the formatter lays it out that the test's parameter, else text, names."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(getattr(request, "param", LineFormatter)())
    logger = logging.getLogger("tests.log_lines")
    logger.addHandler(handler)
    yield stream
    logger.removeHandler(handler)


@pytest.fixture
def log_of(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Give a function that starts a program, as `up` does, and returns the file of what it writes."""
    started: list[subprocess.Popen] = []

    def start(program: programs.Program, *further: str, **environment: str) -> Path:
        log = tmp_path / f"{program.name}.log"
        with log.open("wb") as file:
            started.append(
                subprocess.Popen(
                    [*program.command, *further],
                    stdout=file,
                    stderr=file,
                    cwd=program.directory,
                    env=os.environ | database_of_tests() | environment,
                    start_new_session=True,
                )
            )
        return log

    yield start
    for process in started:
        kill(process)


class TestLineFormatter:
    def test_writes_one_line_whatever_it_contains(self, written):
        logging.getLogger("tests.log_lines").warning("No document %s", FORGED)
        (line,) = written.getvalue().splitlines()
        assert line.endswith(r"\r\n2026-11-21 10:00:00,000 INFO audit: ada may\x1b[2K\u2028\u202e!")

    def test_marks_every_further_line_of_an_exception(self, written):
        try:
            raise ValueError(FORGED)
        except ValueError:
            logging.getLogger("tests.log_lines").exception("It broke")
        first, *further = written.getvalue().splitlines()
        assert first.endswith("ERROR tests.log_lines: It broke")
        assert further[0] == "  | Traceback (most recent call last):"
        assert {line[:4] for line in further} == {"  | "}

    def test_leaves_other_letters_unchanged(self, written):
        logging.getLogger("tests.log_lines").warning("Größe – \U0001f600")
        assert written.getvalue().endswith("Größe – \U0001f600\n")

    def test_reveals_no_rows_of_an_error_or_of_its_cause(self, written):
        _log_refused_row()
        logging.getLogger("tests.log_lines").warning("Not done: %r", psycopg.errors.CheckViolation(REFUSED))
        assert SECRET not in written.getvalue()
        assert written.getvalue().count('new row violates "amount"') == 3
        assert "RuntimeError: the job fails" in written.getvalue()


class TestJsonFormatter:
    @pytest.mark.parametrize("written", [JsonFormatter], indirect=True)
    def test_writes_one_object_whatever_it_contains(self, written):
        logging.getLogger("tests.log_lines").warning("No document %s", FORGED)
        (line,) = written.getvalue().splitlines()
        told = json.loads(line)
        assert line.isascii()
        assert told["message"] == f"No document {FORGED}"
        assert (told["level"], told["logger"], told["process"]) == (
            "WARNING",
            "tests.log_lines",
            os.getpid(),
        )
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", told["time"])
        assert "exception" not in told

    @pytest.mark.parametrize("written", [JsonFormatter], indirect=True)
    def test_has_an_exception_without_rows(self, written):
        _log_refused_row()
        (told,) = map(json.loads, written.getvalue().splitlines())
        assert told["exception"].startswith("Traceback (most recent call last):")
        assert told["exception"].endswith("RuntimeError: the job fails")
        assert SECRET not in written.getvalue()

    @pytest.mark.parametrize("written", [JsonFormatter], indirect=True)
    def test_names_the_trace_of_telemetry(self, written):
        span = NonRecordingSpan(SpanContext(trace_id=0xABC, span_id=0xDEF, is_remote=False))
        with use_span(span):
            logging.getLogger("tests.log_lines").warning("within")
        logging.getLogger("tests.log_lines").warning("after")
        within, after = map(json.loads, written.getvalue().splitlines())
        assert within["trace_id"] == "00000000000000000000000000000abc"
        assert within["span_id"] == "0000000000000def"
        assert "trace_id" not in after


@pytest.mark.django_db
class TestWorker:
    """Several processes of Celery's, each with a log of its own making but for `keep_the_layout`."""

    def test_writes_lines_without_rows(self, log_of):
        log = log_of(programs.worker_programs()[0], *OF_TESTS)
        lines = _told_of_tasks(log)
        assert [line for line in lines if not LINE.fullmatch(line) and not line.startswith("  | ")] == []
        assert sum(r"No document \r\n2026" in line for line in lines) == 1

    @pytest.mark.slow
    def test_writes_json_if_configured(self, log_of):
        log = log_of(
            programs.worker_programs()[0],
            "--queues",
            QUEUE,
            "--include",
            failing_tasks.__name__,
            HUBCONSOLE_LOG_FORMAT="json",
        )
        told = [json.loads(line) for line in _told_of_tasks(log)]
        assert [one["message"] for one in told if one["logger"] == "tests.failing_tasks"] == [
            f"No document {FORGED}"
        ]
        (failed,) = [one for one in told if "exception" in one]
        assert failed["level"] == "ERROR"
        assert "IntegrityError" in failed["exception"]


@pytest.mark.django_db
class TestWeb:
    @pytest.mark.parametrize(
        ("layout", "is_line"),
        # The worker writes text in each run.
        quick_first(
            [
                pytest.param("json", lambda line: json.loads(line)["message"]),
                pytest.param("text", LINE.fullmatch),
            ]
        ),
    )
    def test_writes_gunicorns_own_lines_the_same_way(self, log_of, layout, is_line):
        port = find_free_port()
        program = programs.web_program(bind="127.0.0.1", port=port)
        log = log_of(program, HUBCONSOLE_LOG_FORMAT=layout, HUBCONSOLE_PROCESS="web")
        eventually(program.is_ready, 300)
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nNo\x1b[2Kheader: \x85\r\n\r\n")
            connection.recv(100)
        eventually(lambda: "Invalid" in log.read_text())
        text = log.read_text()
        lines = [line for line in text.splitlines() if not line.startswith("  | ")]
        assert [line for line in lines if not is_line(line)] == []
        assert "gunicorn.error" in text
        assert "gunicorn.access" not in text
        assert "\x1b" not in text


def _log_refused_row() -> None:
    """Log, as an error's trace and within the message, what PostgreSQL says of a row."""
    try:
        try:
            raise psycopg.errors.CheckViolation(REFUSED)
        except psycopg.Error as error:
            raise RuntimeError("the job fails") from error
    except RuntimeError as error:
        logging.getLogger("tests.log_lines").exception("Not done: %s", error.__cause__)


def _told_of_tasks(log: Path) -> list[str]:
    """Let a worker do both tasks, and return the lines of its log; the row that was refused is in none."""
    failing_tasks.tell.apply_async([FORGED], queue=QUEUE)
    failing_tasks.insert_message.apply_async([SECRET], queue=QUEUE)
    eventually(lambda: "IntegrityError" in log.read_text() and "No document" in log.read_text(), 60)
    text = log.read_text()
    assert "violates not-null constraint" in text
    assert SECRET not in text
    assert "Traceback (most recent call last)" in text
    return text.splitlines()
