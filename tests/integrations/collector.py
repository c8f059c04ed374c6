"""The OpenTelemetry Collector, built from its source by Go and started for a test. It writes to a file."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from messages_app.core.embedded_servers import find_free_port, is_listening
from tests.support.eventually import eventually
from tests.support.files import ROOT

_BUILDER = "go.opentelemetry.io/collector/cmd/builder@v0.161.0"
_PARTS = ROOT / "tests" / "integrations" / "collector.yaml"
_PROGRAMS = ROOT / "var" / "integrations"


def find_program() -> Path:
    """
    Return the program, which is built at its first use in two minutes.

    Raises:
        FileNotFoundError: there is no Go.
        subprocess.CalledProcessError: it cannot be built.
    """
    program = _PROGRAMS / "collector" / "collector"
    if not program.exists():
        go = shutil.which("go")
        if go is None:
            raise FileNotFoundError("The test of the collector needs Go 1.26 or newer.")
        _PROGRAMS.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {"GOBIN": str(_PROGRAMS), "CGO_ENABLED": "0"}
        subprocess.run([go, "install", _BUILDER], env=environment, check=True)
        build = [_PROGRAMS / "builder", "--config", _PARTS]
        subprocess.run(build, cwd=_PROGRAMS, env=environment, check=True)
    return program


class Collector:
    """A running collector. `received` has what it took, one resource of OTLP's JSON each."""

    def __init__(self, port: int, file: Path) -> None:
        self.endpoint = f"http://127.0.0.1:{port}"
        self._file = file

    def received(self, kind: str) -> list[dict]:
        """Return the `resourceSpans` or `resourceMetrics` so far."""
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        return [each for line in lines for each in json.loads(line).get(kind, ())]


@contextmanager
def run_collector(folder: Path) -> Iterator[Collector]:
    port, file = find_free_port(), folder / "received.json"
    pipeline = {"receivers": ["otlp"], "exporters": ["file"]}
    settings = {
        "receivers": {"otlp": {"protocols": {"http": {"endpoint": f"127.0.0.1:{port}"}}}},
        "exporters": {"file": {"path": str(file), "flush_interval": "100ms"}},
        "service": {
            "telemetry": {"metrics": {"level": "none"}},
            "pipelines": {"traces": pipeline, "metrics": pipeline},
        },
    }
    configuration = folder / "collector.json"
    configuration.write_text(json.dumps(settings))
    with (folder / "collector.log").open("wb") as log:
        process = subprocess.Popen([find_program(), "--config", configuration], stdout=log, stderr=log)
    try:
        eventually(lambda: is_listening(port))
        yield Collector(port, file)
    finally:
        process.terminate()
        process.wait(timeout=30)
