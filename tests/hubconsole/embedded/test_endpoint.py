import socket
from pathlib import Path

import pytest

from hubconsole.embedded import endpoint


class TestKept:
    def test_is_an_address_that_refuses_before_the_first_start(self, tmp_path: Path):
        assert not endpoint.answers(endpoint.last_endpoint(tmp_path, "postgres").port)


class TestClaim:
    def test_keeps_port_and_secret(self, tmp_path: Path):
        first = endpoint.claim(tmp_path, "postgres")

        assert endpoint.claim(tmp_path, "postgres") == first == endpoint.last_endpoint(tmp_path, "postgres")

    def test_takes_another_port_if_the_kept_one_is_taken(self, tmp_path: Path):
        first = endpoint.claim(tmp_path, "postgres")

        with socket.create_server((endpoint.LOOPBACK, first.port)):
            second = endpoint.claim(tmp_path, "postgres")

        assert second.port != first.port
        assert second.secret == first.secret

    def test_assigns_each_server_its_own_secret(self, tmp_path: Path):
        assert endpoint.claim(tmp_path, "spark").secret != endpoint.claim(tmp_path, "valkey").secret


class TestTryToListen:
    def test_refuses_an_address_of_another_machine(self):
        with pytest.raises(OSError, match="assign"):
            endpoint.try_to_listen("192.0.2.1", endpoint.free_port())
