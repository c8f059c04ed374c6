"""
Starts the traces and metrics of one process.

OpenTelemetry sends from threads of its own, which do not survive a fork: each web process and each child of a
worker starts them after it was forked. Workers import this module before that, because a child has few
seconds to start.
"""

import os
from types import SimpleNamespace

# Read when the instrumentations are imported. Names of attributes and metrics are those of the stable
# conventions, and the baggage of a request, which anyone can fill, does not reach the broker.
os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "http,database")
os.environ.setdefault("OTEL_PROPAGATORS", "tracecontext")

import psycopg
from django.conf import settings
from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.celery import CeleryInstrumentor
from opentelemetry.instrumentation.django import DjangoInstrumentor
from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import View
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.util.types import AnyValue

from hubconsole import __version__
from hubconsole.telemetry.private_spans import SENT_ATTRIBUTES, PrivateSpans
from messages_app.core import statements
from messages_app.jobs.engine import spark_spans

# The middleware of telemetry reads the host. If that is refused, the answer needs the headers of every page.
_OUTER_MIDDLEWARE = "messages_app.core.middleware.HeadersMiddleware"
# Requests of load balancers and of monitoring, and files.
_UNTRACED_PAGES = r"^https?://[^/]+/(health/|metrics$|static/)"


class _PrivateOtlpExporter(PrivateSpans, OTLPSpanExporter):
    pass


def start_telemetry(process: str) -> None:
    """Trace the requests, tasks and statements of this process from now on, and send their times."""
    resource = _describe_process(process)
    if _is_exported("OTEL_TRACES_EXPORTER"):
        tracers = TracerProvider(resource=resource)
        tracers.add_span_processor(BatchSpanProcessor(_PrivateOtlpExporter()))
        trace.set_tracer_provider(tracers)
    if _is_exported("OTEL_METRICS_EXPORTER"):
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        views = [View(instrument_name="*", attribute_keys=set(SENT_ATTRIBUTES))]
        metrics.set_meter_provider(MeterProvider([reader], resource=resource, views=views))
    _trace_statements()
    CeleryInstrumentor().instrument()
    spark_spans.tracer = trace.get_tracer("hubconsole")
    if process == "web":
        DjangoInstrumentor().instrument(
            excluded_urls=os.environ.get("OTEL_PYTHON_DJANGO_EXCLUDED_URLS") or _UNTRACED_PAGES,
            middleware_position=settings.MIDDLEWARE.index(_OUTER_MIDDLEWARE) + 1,
        )


def end_telemetry() -> None:
    """Send what is left. The children of a worker end without Python's own hooks."""
    for provider in (trace.get_tracer_provider(), metrics.get_meter_provider()):
        if isinstance(provider, TracerProvider | MeterProvider):
            provider.shutdown()


def _trace_statements() -> None:
    PsycopgInstrumentor().instrument()
    # That traces only cursors that a connection makes.
    holder = SimpleNamespace(cursor_factory=psycopg.Cursor)
    PsycopgInstrumentor.instrument_connection(holder)  # type: ignore[type-var]  # it has the factory
    statements.prepared_cursor = holder.cursor_factory


def _describe_process(process: str) -> Resource:
    own: dict[str, AnyValue] = {
        "service.name": f"hubconsole-{process}",
        "service.namespace": "hubconsole",
        "service.version": __version__,
    }
    # Names that the operator gives in OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
    return Resource.create(own | dict(OTELResourceDetector().detect().attributes))


def _is_exported(variable: str) -> bool:
    return os.environ.get(variable, "").strip().lower() != "none"
