import socket
from pathlib import Path

import pytest

from messages_app.core.embedded_servers import (
    LOOPBACK,
    claim_endpoint,
    find_free_port,
    is_listening,
    last_endpoint,
    try_to_listen,
)


class TestKept:
    def test_is_an_address_that_refuses_before_the_first_start(self, tmp_path: Path):
        assert not is_listening(last_endpoint(tmp_path, "postgres").port)


class TestClaim:
    def test_keeps_port_and_secret(self, tmp_path: Path):
        first = claim_endpoint(tmp_path, "postgres")

        assert claim_endpoint(tmp_path, "postgres") == first == last_endpoint(tmp_path, "postgres")

    def test_takes_another_port_if_the_kept_one_is_taken(self, tmp_path: Path):
        first = claim_endpoint(tmp_path, "postgres")

        with socket.create_server((LOOPBACK, first.port)):
            second = claim_endpoint(tmp_path, "postgres")

        assert second.port != first.port
        assert second.secret == first.secret

    def test_assigns_each_server_its_own_secret(self, tmp_path: Path):
        assert claim_endpoint(tmp_path, "spark").secret != claim_endpoint(tmp_path, "valkey").secret


class TestTryToListen:
    def test_refuses_an_address_of_another_machine(self):
        with pytest.raises(OSError, match="assign"):
            try_to_listen("192.0.2.1", find_free_port())
