"""A receiver of OTLP over HTTP that keeps the spans and metrics that it gets."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue


@dataclass(frozen=True)
class ReceivedSpan:
    """
    A span as it arrived. Times are in nanoseconds. `text` is all of it, to search for what must not be there.
    """

    service: str
    name: str
    trace: str
    id: str
    parent: str
    began: int
    ended: int
    attributes: dict[str, str]
    text: str


class OtlpReceiver(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.spans: list[ReceivedSpan] = []
        # Attributes of the points of each metric, by service and name.
        self.metrics: dict[tuple[str, str], list[dict[str, str]]] = {}

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def keep_spans(self, body: bytes) -> None:
        for of_process in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = _read_attributes(of_process.resource.attributes)["service.name"]
            for scope in of_process.scope_spans:
                self.spans += [
                    ReceivedSpan(
                        service=service,
                        name=span.name,
                        trace=span.trace_id.hex(),
                        id=span.span_id.hex(),
                        parent=span.parent_span_id.hex(),
                        began=span.start_time_unix_nano,
                        ended=span.end_time_unix_nano,
                        attributes=_read_attributes(span.attributes),
                        text=str(span),
                    )
                    for span in scope.spans
                ]

    def keep_metrics(self, body: bytes) -> None:
        for of_process in ExportMetricsServiceRequest.FromString(body).resource_metrics:
            service = _read_attributes(of_process.resource.attributes)["service.name"]
            for metric in (each for scope in of_process.scope_metrics for each in scope.metrics):
                points = [*metric.histogram.data_points, *metric.sum.data_points]
                self.metrics[service, metric.name] = [_read_attributes(point.attributes) for point in points]


class _Handler(BaseHTTPRequestHandler):
    server: OtlpReceiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        keep = {"/v1/traces": self.server.keep_spans, "/v1/metrics": self.server.keep_metrics}[self.path]
        keep(body)
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def _read_attributes(pairs: list[KeyValue]) -> dict[str, str]:
    return {pair.key: pair.value.string_value or str(pair.value.int_value) for pair in pairs}


@contextmanager
def receive_telemetry() -> Iterator[OtlpReceiver]:
    receiver = OtlpReceiver()
    Thread(target=receiver.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield receiver
    receiver.shutdown()
    receiver.server_close()
