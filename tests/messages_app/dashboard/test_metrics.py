import re
from datetime import timedelta

import pytest
from django.test import Client

from messages_app.core import request_times
from messages_app.core.clock import database_clock
from messages_app.core.request_times import REQUEST_TIMES
from messages_app.dashboard.metrics import CONTENT_TYPE
from messages_app.dashboard.published_metrics import METRICS
from messages_app.messages.metrics.passes import fold_changes
from tests.support.api_client import caller
from tests.support.factories import make_message
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db

LINE = re.compile(r'^[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9.e+-]+$')


class TestMetricsView:
    def test_requires_a_token(self):
        assert Client().get("/metrics").status_code == 401

    def test_reports_samples_by_the_fields_rules(self):
        make_message(state="FAILED")
        fold_changes()
        reader = caller("support")
        response = reader.client.get("/metrics", headers=reader.headers)
        assert (response.status_code, response.headers["Content-Type"]) == (200, CONTENT_TYPE)
        lines = response.content.decode().splitlines()
        samples = [line for line in lines if not line.startswith("#")]
        assert 'hubconsole_messages{state="FAILED"} 1' in samples
        assert "hubconsole_alerts_open 0" in samples
        assert all(LINE.match(line) for line in samples), samples
        helped = {line.split()[2] for line in lines if line.startswith("# HELP")}
        assert {re.split(r"(_bucket|_sum|_count)?[{ ]", line)[0] for line in samples} <= helped
        assert helped == {metric.name for metric in METRICS}

    def test_have_the_declared_type_and_labels(self):
        make_message(state="FAILED")
        fold_changes()
        reader = caller("support")
        text = reader.client.get("/metrics", headers=reader.headers).content.decode()
        kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
        assert kinds == {metric.name: metric.kind for metric in METRICS}
        labels = {metric.name: set(metric.labels) for metric in METRICS if metric.kind == "gauge"}
        samples = re.findall(r"^(\w+)(?:\{(.*)\})? ", text, re.MULTILINE)
        found = [(name, set(re.findall(r'(\w+)="', given))) for name, given in samples if name in labels]
        assert len(found) > 10
        assert [(name, given) for name, given in found if given != labels[name]] == []

    @pytest.fixture
    def fresh_labels(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Forget the labels of requests in other tests."""
        monkeypatch.setattr(request_times, "_apart", request_times._Apart())

    def test_shows_request_times_by_view_and_never_by_input_of_a_caller(self, fresh_labels):
        reader = caller("support")
        pages = client_of("support", username="grace")
        for address in ("/messages/4711/", "/messages/4712/", "/odd/4711/"):
            pages.get(address)
        reader.client.get("/api/v1/messages/4711/", headers=reader.headers)
        reader.client.generic("BREW", "/health/")
        text = reader.client.get("/metrics", headers=reader.headers).content.decode()
        counted = [line for line in text.splitlines() if line.startswith(f"{REQUEST_TIMES.name}_count")]
        labels = 'method="GET",status="4xx",view="api/v1/messages/<str:msg_id>/"'
        assert any(line.startswith(f"{REQUEST_TIMES.name}_count{{{labels}}}") for line in counted), counted
        assert any('view="message-detail"' in line for line in counted)
        assert any('method="other"' in line for line in counted)
        assert not any("4711" in line or "odd" in line for line in counted)

    def test_reports_strangers_and_latecomers_in_few_lines(self, fresh_labels, monkeypatch):
        monkeypatch.setattr(request_times, "MAX_APART", 2)
        reader = caller("support")
        for address in ("/api/v1/messages/", "/api/v1/jobs/", "/api/v1/messages/count/", "/api/v1/requests/"):
            assert reader.client.get(address, headers=reader.headers).status_code == 200
        for address in ("/messages/", "/jobs/", "/api/v1/messages/", "/admin/"):
            assert Client().get(address).status_code in {302, 401}
        text = reader.client.get("/metrics", headers=reader.headers).content.decode()
        views = set(re.findall(r'_count\{method="GET",status="[2-4]xx",view="([^"]*)"', text))

        assert {"other", "refused"} < views

    def test_reports_the_states_with_most_messages_and_of_all_others_as_one(self):
        for number in range(53):
            make_message(state=f"ODD{number}")
        for _ in range(3):
            make_message(state="FAILED")
        fold_changes()
        reader = caller("support")
        text = reader.client.get("/metrics", headers=reader.headers).content.decode()
        told = re.findall(r'^hubconsole_messages\{state="([^"]*)"\} (\d+)$', text, re.MULTILINE)

        assert len(told) == 51
        assert ("FAILED", "3") in told
        assert ("other", "4") in told

    def test_reports_the_age_of_the_oldest_message_of_all_other_states(self):
        now = database_clock()
        for number in range(50):
            for _ in range(2):
                make_message(state=f"MANY{number}", receive_timestamp=now)
        for state, hours in (("RARE1", 3), ("RARE2", 9), ("RARE3", 5)):
            changed = now - timedelta(hours=hours)
            make_message(state=state, receive_timestamp=changed)
        fold_changes()
        reader = caller("support")
        text = reader.client.get("/metrics", headers=reader.headers).content.decode()
        [age] = re.findall(
            r'^hubconsole_oldest_message_age_seconds\{state="other"\} ([0-9.]+)$', text, re.MULTILINE
        )

        # By the minute, and the test itself takes time.
        assert 9 * 3600 <= float(age) < 9 * 3600 + 180
