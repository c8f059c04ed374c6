"""The files of deploy/ restrict the services."""

import re

import pytest

from tests.support.locks import ROOT

UNIT = ROOT / "deploy/hubconsole@.service"
NGINX = (ROOT / "deploy/nginx.conf").read_text()


def _of_unit() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


class TestUnit:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
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


class TestNginx:
    def test_drops_requests_for_other_names(self):
        other = NGINX.split("server {")[1]
        assert other.count("default_server") == 2
        assert "ssl_reject_handshake on;" in other
        assert "return 444;" in other

    def test_has_no_two_zones_with_the_same_name(self):
        """A zone of limits and one of TLS sessions share their names: nginx would not start."""
        zones = re.findall(r"(?:zone=|shared:)(\w+):\d+m", NGINX)
        assert sorted(zones) == ["hubconsole", "hubconsole_api", "hubconsole_connections", "hubconsole_tls"]

    def test_limits_every_location_but_the_health_check_of_known_addresses(self):
        locations = re.findall(r"location (\S+) \{(.*?)\n    \}", NGINX, re.DOTALL)
        assert [path for path, _ in locations] == ["/", "/api/", "/health/"]
        assert [path for path, text in locations if "limit_req" not in text] == ["/health/"]
        assert "deny all;" in locations[-1][1]

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
