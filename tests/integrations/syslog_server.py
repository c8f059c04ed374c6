"""rsyslog, started for a test with the configuration of the guide. It writes what it receives to a file."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from messages_app.core.embedded_servers import find_free_port, is_listening
from tests.integrations.debian import environment_of, find_file
from tests.support.certificates import make_certificate
from tests.support.eventually import eventually
from tests.support.files import ROOT

_PACKAGES = ["rsyslog", "rsyslog-gnutls", "libestr0", "libfastjson4", "liblognorm5"]
_GUIDE = ROOT / "docs" / "howto" / "stream_the_audit_log.md"


class SyslogServer:
    """
    A server for one transport, which can be stopped and started again. Its certificate is in the folder.

    Args:
        scheme: syslog+tcp or syslog+tls.
    """

    def __init__(self, folder: Path, scheme: str) -> None:
        self._folder = folder
        self._port = find_free_port()
        self._file = folder / "received"
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"{scheme}://127.0.0.1:{self._port}"
        make_certificate(folder)
        self._configuration = folder / "rsyslog.conf"
        self._configuration.write_text(self._configure(is_secure=scheme == "syslog+tls"))

    def start(self) -> None:
        program = find_file("usr/sbin/rsyslogd", packages=_PACKAGES)
        modules = find_file("usr/lib/*/rsyslog/lmnsd_gtls.so", packages=_PACKAGES).parent
        command = [program, "-n", "-M", modules, "-f", self._configuration, "-i", self._folder / "pid"]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, env=environment_of(program), stdout=log, stderr=log)
        eventually(lambda: is_listening(self._port))

    def stop(self) -> None:
        """End it as an administrator does: it writes what it has read."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=30)
            self._process = None

    def read_entries(self) -> list[dict[str, Any]]:
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        return [json.loads(line) for line in lines]

    def read_ids(self) -> list[int]:
        return [entry["entry_id"] for entry in self.read_entries()]

    def _configure(self, *, is_secure: bool) -> str:
        """Return the configuration of the guide with the files and the port of this server."""
        text = _GUIDE.read_text().partition("For rsyslog over TLS:\n\n```\n")[2].partition("```")[0]
        text = text.replace('port="6514"', f'address="127.0.0.1" port="{self._port}"')
        text = text.replace("/var/log/hubconsole-audit.log", str(self._file))
        for name, file in (("ca", "certificate"), ("certificate", "certificate"), ("key", "key")):
            text = text.replace(f"/etc/rsyslog/{name}.pem", str(self._folder / f"{file}.pem"))
        if is_secure:
            return text
        return text.replace('streamDriver.mode="1"', 'streamDriver.mode="0"').replace("gtls", "ptcp")
