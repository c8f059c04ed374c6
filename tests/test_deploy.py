"""The files of deploy/ restrict the services."""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from messages_app.core.embedded_servers import find_free_port
from tests.support import nginx
from tests.support.locks import ROOT

UNIT = ROOT / "deploy/hubconsole@.service"
NGINX = (ROOT / "deploy/nginx.conf").read_text()


def _of_unit() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


def _test_with_nginx(configuration: str, folder: Path) -> tuple[int, str]:
    """
    Let nginx test a configuration, with the certificate and ports of this test.

    Returns:
        The exit status, and warnings and errors.
    """
    for word, own in (
        ("listen 443", f"listen 127.0.0.1:{find_free_port()}"),
        ("listen 80", f"listen 127.0.0.1:{find_free_port()}"),
        ("/etc/ssl/", f"{folder}/"),
        ("/var/log/nginx/", f"{folder}/"),
    ):
        assert word in configuration
        configuration = configuration.replace(word, own)
    file = nginx.write_configuration(folder, configuration)
    program = nginx.binary(folder / "package")
    command = [program, "-t", "-q", "-c", file, "-p", folder, "-e", "stderr"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr


class TestUnit:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("ExecStart", ["/opt/hubconsole/.venv/bin/python -m hubconsole service %i"]),
            ("UMask", ["0077"]),
            ("ProtectSystem", ["strict"]),
            ("ReadWritePaths", ["/var/lib/hubconsole"]),
            ("ProtectHome", ["yes"]),
            ("PrivateTmp", ["yes"]),
            ("PrivateDevices", ["yes"]),
            ("NoNewPrivileges", ["yes"]),
            ("CapabilityBoundingSet", [""]),
            ("RestrictAddressFamilies", ["AF_INET AF_INET6 AF_UNIX AF_NETLINK"]),
            ("SystemCallFilter", ["@system-service", "~@privileged"]),
            ("MemoryMax", ["4G"]),
        ],
    )
    def test_has_no_permissions_that_services_do_not_need(self, name: str, values: list[str]):
        assert _of_unit()[name] == values

    def test_gives_services_a_home_that_it_does_not_close(self):
        """PostgreSQL's client with TLS reads a certificate in it, and fails if it may not look there."""
        unit = _of_unit()
        assert (unit["ProtectHome"], unit["Environment"]) == (["yes"], ["HOME=/var/lib/hubconsole"])
        assert unit["ReadWritePaths"] == ["/var/lib/hubconsole"]

    def test_counts_an_end_of_java_that_systemd_asked_for_as_no_failure(self):
        assert _of_unit()["SuccessExitStatus"] == [str(128 + signal.SIGTERM)]

    @pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
    @pytest.mark.parametrize(
        ("change", "faults"),
        [
            (("", ""), []),
            (
                ("ProtectClock=", "ProtectClok="),
                [r"Unknown key 'ProtectClok' in section \[Service\], ignoring\."],
            ),
            # The words of systemd 252, and of 258.
            (
                ("UMask=0077", "UMask=private"),
                ["Failed to parse (mode value, ignoring: private|UMask=private, ignoring: Invalid argument)"],
            ),
        ],
    )
    def test_is_understood_by_systemd(self, tmp_path: Path, change: tuple[str, str], faults: list[str]):
        file = tmp_path / "hubconsole@web.service"
        text = UNIT.read_text().replace("/opt/hubconsole/.venv/bin/python", sys.executable).replace(*change)
        file.write_text(text)
        command = ["systemd-analyze", "verify", "--man=no", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # It reads the unit twice.
        found = {re.sub(r"^\S+:\d+: ", "", line) for line in done.stderr.splitlines() if str(file) in line}
        assert len(found) == len(faults)
        assert all(map(re.fullmatch, faults, found))


class TestNginx:
    def test_drops_requests_for_other_names(self):
        other = NGINX.split("server {")[1]
        assert other.count("default_server") == 2
        assert "ssl_reject_handshake on;" in other
        assert "return 444;" in other

    def test_leads_people_to_tls_and_refuses_programs_without_it(self):
        plain = NGINX.split("server {")[2]
        assert re.findall(r"location (\S+) \{\s+return (\d+)", plain) == [("/", "308"), ("/api/", "403")]

    def test_has_no_two_zones_with_the_same_name(self):
        """A zone of limits and one of TLS sessions share their names: nginx would not start."""
        zones = re.findall(r"(?:zone=|shared:)(\w+):\d+m", NGINX)
        assert sorted(zones) == ["hubconsole", "hubconsole_api", "hubconsole_connections", "hubconsole_tls"]

    @pytest.mark.slow
    def test_is_accepted_by_nginx(self, tmp_path: Path):
        nginx.make_certificate(tmp_path, "hub.example.org")
        assert _test_with_nginx(NGINX, tmp_path) == (0, "")
        # As nginx itself says it of a name that it does not know.
        code, error = _test_with_nginx(NGINX.replace("limit_conn_zone", "limit_conn_zones"), tmp_path)
        assert code == 1
        assert 'unknown directive "limit_conn_zones"' in error

    def test_limits_every_location_but_the_health_check_of_known_addresses(self):
        served = NGINX.split("server {")[3]
        locations = re.findall(r"location (\S+) \{(.*?)\n    \}", served, re.DOTALL)
        assert [path for path, _ in locations] == ["/", "/api/", "/health/"]
        assert [path for path, text in locations if "limit_req" not in text] == ["/health/"]
        assert "deny all;" in locations[-1][1]

    def test_logs_addresses_without_what_users_search_for(self):
        (line,) = re.findall(r"log_format hubconsole '(.*)';", NGINX)
        of_queries = {"$request", "$request_uri", "$args", "$query_string", "$http_referer"}
        assert set(re.findall(r"\$\w+", line)) & of_queries == set()
        assert "$uri" in line
        assert "    access_log /var/log/nginx/hubconsole.log hubconsole;\n" in NGINX.split("server {")[3]

    def test_does_not_repeat_the_host_that_a_caller_sent(self):
        (redirect,) = re.findall(r"return 308 (\S+);", NGINX)
        assert redirect == "https://hub.example.org$request_uri"

    @pytest.mark.parametrize(
        "line",
        [
            "ssl_protocols TLSv1.2 TLSv1.3;",
            "client_header_timeout 10s;",
            "client_body_timeout 10s;",
            "    limit_req zone=hubconsole burst=400 nodelay;",
            "    limit_req zone=hubconsole_api burst=1000 nodelay;",
            "limit_conn hubconsole_connections 100;",
        ],
    )
    def test_limits_senders(self, line: str):
        assert f"    {line}\n" in NGINX.split("server {")[3]
