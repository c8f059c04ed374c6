"""Prometheus, started for a test with the configuration of the guide."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from messages_app.core.embedded_servers import find_free_port, is_listening
from tests.integrations.debian import environment_of, find_file
from tests.support.eventually import eventually
from tests.support.files import ROOT
from tests.support.promql import RULES

_GUIDE = ROOT / "docs" / "howto" / "monitor_with_prometheus.md"


class Prometheus:
    def __init__(self, port: int) -> None:
        self._port = port

    def ask(self, call: str, **parameters: str) -> Any:
        """Return the data of an answer of its API; a refusal is an HTTPError."""
        address = f"http://127.0.0.1:{self._port}/api/v1/{call}?{urlencode(parameters)}"
        with urlopen(address, timeout=10) as answer:
            return json.load(answer)["data"]


@contextmanager
def run_prometheus(folder: Path, *, console: str, token: str) -> Iterator[Prometheus]:
    """
    Run a server that scrapes a console each second.

    Args:
        console: its host and port.
        token: of the scraper.
    """
    port, key = find_free_port(), folder / "token"
    key.write_text(token)
    text = _GUIDE.read_text().partition("```yaml\n")[2].partition("```")[0]
    for before, after in (
        ("/etc/prometheus/hubconsole.token", str(key)),
        ("/etc/prometheus/hubconsole.yml", str(RULES)),
        ("hub.example.org", console),
        ("scheme: https", "scheme: http"),
    ):
        assert before in text, before
        text = text.replace(before, after)
    configuration = folder / "prometheus.yml"
    configuration.write_text(f"global: {{scrape_interval: 1s, evaluation_interval: 1s}}\n{_unindent(text)}")
    program = find_file("usr/bin/prometheus", packages=["prometheus"])
    command = [
        program,
        f"--config.file={configuration}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment_of(program), stdout=log, stderr=log)
    try:
        eventually(lambda: is_listening(port))
        yield Prometheus(port)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _unindent(text: str) -> str:
    """Return a block of a list in the guide without the indentation of the list."""
    return "\n".join(line.removeprefix("   ") for line in text.splitlines())
