"""Whether telemetry is wanted, and the errors of what is missing, in a process of its own each."""

import os
import subprocess
import sys

import pytest

from hubconsole import telemetry
from tests.hubconsole.console import REPOSITORY

ENDPOINT = "http://127.0.0.1:4318"
# Hides OpenTelemetry, as in an installation without the extra.
_WITHOUT_EXTRA = """
import sys
sys.modules["opentelemetry"] = None
from hubconsole.command_line import run_command_line
sys.argv = ["hubconsole", "completion"]
run_command_line()
"""
_MODULES_OF_WEB = """
import sys
from importlib import import_module
import_module("hubconsole.wsgi")
print("hubconsole.telemetry.start" in sys.modules, "opentelemetry.instrumentation" in sys.modules)
"""


def run_python(program: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=REPOSITORY,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


class TestIsWanted:
    @pytest.mark.parametrize(
        ("environment", "is_wanted"),
        [
            ({}, False),
            ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, False),
            ({"OTEL_EXPORTER_OTLP_ENDPOINT": ENDPOINT}, True),
            ({"OTEL_EXPORTER_OTLP_ENDPOINT": ENDPOINT, "OTEL_SDK_DISABLED": "true"}, False),
            ({"OTEL_SERVICE_NAME": "hub"}, False),
        ],
    )
    def test_needs_the_endpoint(self, monkeypatch, environment, is_wanted):
        for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert telemetry.is_wanted() is is_wanted


class TestRefusal:
    def test_names_the_extra_that_is_missing(self):
        done = run_python(_WITHOUT_EXTRA, OTEL_EXPORTER_OTLP_ENDPOINT=ENDPOINT)
        assert done.returncode == 1
        assert done.stderr == (
            "hubconsole: OTEL_EXPORTER_OTLP_ENDPOINT is set, but the extra is missing: "
            'pip install "hubconsole[otel]".\n'
        )

    def test_is_absent_without_the_endpoint(self):
        done = run_python(_WITHOUT_EXTRA, OTEL_EXPORTER_OTLP_ENDPOINT="")
        assert (done.returncode, done.stderr) == (0, "")

    def test_names_the_only_protocol(self, monkeypatch):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", ENDPOINT)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
        assert telemetry.refusal_of_telemetry() == (
            "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not 'grpc'. "
            "Use the port for HTTP, usually 4318."
        )


class TestOff:
    def test_starts_nothing(self, servers):
        done = run_python(_MODULES_OF_WEB, OTEL_EXPORTER_OTLP_ENDPOINT="")
        assert (done.stdout, done.returncode) == ("False False\n", 0), done.stderr
