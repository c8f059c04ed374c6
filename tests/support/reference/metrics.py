"""The page of the metrics, from the list of the metrics that /metrics writes."""

from messages_app.core.metric_families import Metric
from messages_app.dashboard.published_metrics import METRICS
from tests.support.reference.markdown import (
    link_chapter,
    write_code,
    write_page,
    write_paragraph,
    write_table,
)

_INTRODUCTION = (
    "`GET /metrics` returns Prometheus' text format. It needs a token of a user with"
    " `messages_app.view_message` (`Authorization: Bearer ...`). The values are stored counts, so a scrape"
    " costs the same at any number of messages. A metric without samples has no data, for example"
    " `hubconsole_queue_length` with RabbitMQ. [Monitor with Prometheus and"
    " Grafana](../howto/monitor_with_prometheus.md) has the configuration, alerting rules and a dashboard."
)


def write_metrics() -> str:
    """Return the page of the metrics."""
    return write_page(
        "Metrics",
        write_paragraph(_INTRODUCTION),
        write_table(("name", "type", "labels", "meaning"), [_describe_metric(one) for one in METRICS]),
    )


def _describe_metric(metric: Metric) -> tuple[str, str, str, str]:
    name = f"`{metric.name}`"
    linked = link_chapter(name, metric.see) if metric.see else name
    return linked, metric.kind, write_code(*metric.labels), metric.meaning
