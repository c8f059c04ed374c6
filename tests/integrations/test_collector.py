"""Telemetry of a web process in a real collector, which refuses what does not follow the protocol."""

import pytest

from tests.integrations.collector import Collector, run_collector
from tests.support.eventually import eventually
from tests.support.web_server import Address, web_server

pytestmark = [pytest.mark.integrations, pytest.mark.django_db(transaction=True)]


def read_names(collector: Collector, kind: str, scopes: str, members: str) -> set[str]:
    return {
        each["name"]
        for resource in collector.received(kind)
        for scope in resource[scopes]
        for each in scope[members]
    }


def test_a_collector_receives_spans_and_metrics_of_a_page(tmp_path, monkeypatch):
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "500")
    with run_collector(tmp_path) as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint)
        with web_server(tmp_path) as web:
            assert web.get(Address("/messages/?source_system=secret-of-ada", is_api=False)).status == 200
            eventually(
                lambda: "GET messages/" in read_names(collector, "resourceSpans", "scopeSpans", "spans")
            )
            eventually(
                lambda: (
                    "http.server.request.duration"
                    in read_names(collector, "resourceMetrics", "scopeMetrics", "metrics")
                )
            )
        services = {str(each["resource"]["attributes"]) for each in collector.received("resourceSpans")}
        assert all("'hubconsole-web'" in each for each in services)
        assert "secret-of-ada" not in str(collector.received("resourceSpans"))
