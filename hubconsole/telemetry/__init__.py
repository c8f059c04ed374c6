"""
Traces and metrics by OpenTelemetry, off unless OTEL_EXPORTER_OTLP_ENDPOINT is set.

This module does not import OpenTelemetry, because only the extra `otel` installs it. Each web process and
each process of a worker starts its own (`start.py`). `private_spans.py` has the attributes that leave the
console.

Source: docs/howto/opentelemetry.md.
"""

import os
from importlib.util import find_spec

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
_PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
_ONLY_PROTOCOL = "http/protobuf"
# The last package that the extra installs.
_EXTRA = "opentelemetry.exporter.otlp.proto.http"


def is_wanted() -> bool:
    is_disabled = os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return bool(os.environ.get(ENDPOINT)) and not is_disabled


def refusal_of_telemetry() -> str | None:
    """Explain in one line why telemetry is wanted but cannot be sent, and what to do; None if it can."""
    if not is_wanted():
        return None
    protocol = os.environ.get(_PROTOCOL) or _ONLY_PROTOCOL
    if protocol != _ONLY_PROTOCOL:
        return f"{_PROTOCOL} must be {_ONLY_PROTOCOL}, not {protocol!r}. Use the port for HTTP, usually 4318."
    if not _is_installed():
        return f'{ENDPOINT} is set, but the extra is missing: pip install "hubconsole[otel]".'
    return None


def _is_installed() -> bool:
    try:
        return find_spec(_EXTRA) is not None
    except ModuleNotFoundError:  # A package above it is missing.
        return False
