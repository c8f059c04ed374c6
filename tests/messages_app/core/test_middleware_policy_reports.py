import json
from collections.abc import Iterator

import pytest
from django.test import Client

from messages_app.core import middleware
from messages_app.core.middleware import MAX_BYTES, MAX_LINES
from tests.support.log_lines import lines_of

pytestmark = pytest.mark.django_db

PATH = "/policy-reports/"
OLDER, NEWER = "application/csp-report", "application/reports+json"
INNER = {
    "violated-directive": "script-src-elem",
    "blocked-uri": "https://evil.example/x.js?key=secret",
    "document-uri": "https://hub.example/messages/5/?object_id=secret#part",
}
BODY = {
    "effectiveDirective": "style-src-attr",
    "blockedURL": "inline",
    "documentURL": "https://hub.example/admin/?q=secret",
}


def older(**changes: object) -> bytes:
    return json.dumps({"csp-report": INNER | changes}).encode()


def newer(*bodies: object) -> bytes:
    return json.dumps([{"type": "csp-violation", "body": body} for body in bodies]).encode()


def send(body: bytes, kind: str = OLDER, **environ: str):
    return Client(enforce_csrf_checks=True).post(PATH, body, content_type=kind, **environ)


@pytest.fixture
def lines() -> Iterator[list[str]]:
    with lines_of(middleware.log) as told:
        yield told


class TestTakeReports:
    def test_writes_a_line_without_queries(self, lines):
        answer = send(older())
        assert (answer.status_code, answer.content) == (204, b"")
        assert lines == ["policy: 'script-src-elem' refused 'https://evil.example/x.js' on '/messages/5/'"]

    def test_accepts_reports_of_newer_browsers_and_skips_invalid_ones(self, lines):
        others = [{"type": "deprecation", "body": {"id": "x"}}]
        body = json.dumps(others + json.loads(newer(BODY))).encode()
        assert send(body, NEWER).status_code == 204
        assert lines == ["policy: 'style-src-attr' refused 'inline' on '/admin/'"]

    def test_writes_the_same_once_and_never_many_lines(self, lines):
        assert send(newer(BODY, BODY, BODY), NEWER).status_code == 204
        assert len(lines) == 1
        many = [BODY | {"blockedURL": f"https://evil.example/{number}"} for number in range(MAX_LINES + 5)]
        assert send(newer(*many), NEWER).status_code == 204
        assert len(lines) == 1 + MAX_LINES

    def test_keeps_a_line_a_line_and_short(self, lines):
        text = "x\r\n2026-01-01 root logged in\x1b[2J\u202e" + "y" * 9000
        names = dict.fromkeys(INNER, text)
        assert send(older(**names)).status_code == 204
        (line,) = lines
        assert line.isprintable()
        assert len(line) < 400

    @pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data", ""])
    def test_accepts_no_other_content_type(self, kind, lines):
        assert send(older(), kind).status_code == 415
        assert not lines

    @pytest.mark.parametrize("method", ["get", "head", "put", "patch", "delete", "options", "trace"])
    def test_accepts_no_other_method(self, method, lines):
        assert getattr(Client(), method)(PATH).status_code == 405
        assert not lines

    @pytest.mark.parametrize(
        ("body", "says"),
        [
            (b" ", "Line 1, column 2"),
            (b"{", "Line 1"),
            (b"\xff", "must be UTF-8"),
            (b"null", "csp-report"),
            (b"[]", "csp-report"),
            (b"{}", "csp-report"),
            (b'{"csp-report": 1}', "violated-directive"),
            (b'{"csp-report": {}, "csp-report": {}}', "appears twice"),
            (b"[" * 20_000 + b"]" * 20_000, "nested at most"),
            (older(**{"blocked-uri": None}), "blocked-uri must be text"),
            (older(**{"document-uri": ["x"]}), "document-uri must be text"),
            (older(**{"violated-directive": "a\0"}), "NUL"),
            (b'{"csp-report": {"violated-directive": "\\ud800"}}', "surrogate"),
        ],
    )
    def test_reports_an_invalid_report(self, body, says, lines):
        answer = send(body)
        assert answer.status_code == 400
        assert says in answer.content.decode()
        assert not lines

    @pytest.mark.parametrize(
        ("body", "says"),
        [
            (b"{}", "must be a list"),
            (b"[1]", "type"),
            (b'[{"type": "csp-violation"}]', "body"),
            (newer("x"), "effectiveDirective"),
            (newer(BODY, BODY | {"blockedURL": 5}), "blockedURL must be text"),
        ],
    )
    def test_reports_an_invalid_list_of_reports(self, body, says, lines):
        answer = send(body, NEWER)
        assert answer.status_code == 400
        assert says in answer.content.decode()
        assert not lines

    def test_accepts_no_more_than_64_kb(self, lines):
        rest = MAX_BYTES - len(older(sample=""))
        assert send(older(sample="x" * rest)).status_code == 204
        assert send(older(sample="x" * (rest + 1))).status_code == 413
        assert send(older(sample="x" * 3_000_000)).status_code == 413
        assert len(lines) == 1
