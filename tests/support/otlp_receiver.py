"""A receiver of OTLP over HTTP that keeps the spans and metrics that it gets."""

import gzip
from contextlib import AbstractContextManager
from dataclasses import dataclass

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from tests.support.local_server import LocalHandler, LocalServer, run_server


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


class OtlpReceiver(LocalServer):
    def __init__(self) -> None:
        super().__init__(_Handler)
        self.spans: list[ReceivedSpan] = []
        # Attributes of the points of each metric, by service and name.
        self.metrics: dict[tuple[str, str], list[dict[str, str]]] = {}

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


class _Handler(LocalHandler):
    server: OtlpReceiver

    def answer(self, body: bytes) -> None:
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        keep = {"/v1/traces": self.server.keep_spans, "/v1/metrics": self.server.keep_metrics}[self.path]
        keep(body)
        self.send_answer(200, headers={"Content-Type": "application/x-protobuf"})


def _read_attributes(pairs: list[KeyValue]) -> dict[str, str]:
    return {pair.key: pair.value.string_value or str(pair.value.int_value) for pair in pairs}


def receive_telemetry() -> AbstractContextManager[OtlpReceiver]:
    return run_server(OtlpReceiver())
