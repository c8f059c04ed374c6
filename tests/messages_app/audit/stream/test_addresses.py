"""The address of the receiver: its forms, and the line that names a fault."""

import pytest

from messages_app.audit.stream.addresses import InvalidAddress, read_receiver


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("syslog+tls://log.example", 6514),
        ("syslog+tcp://log.example", 601),
        ("syslog+udp://log.example:1514", 1514),
        ("https://log.example/audit?key=1", 443),
    ],
)
def test_has_a_port(text, port):
    assert read_receiver(f" {text} ").port == port


def test_is_empty_without_a_text():
    assert read_receiver(" ") is None


def test_shows_no_secret():
    assert str(read_receiver("https://hub:s3cret@log.example/path")) == "https://log.example:443"


@pytest.mark.parametrize(
    "text",
    [
        "log.example:514",
        "syslog://log.example",
        "http://log.example",
        "https://",
        "syslog+tcp://log.example/path",
        "syslog+tcp://ada@log.example",
        "syslog+tcp://log.example:x",
        "https://[log",
    ],
)
def test_is_refused(text):
    with pytest.raises(InvalidAddress, match="HUBCONSOLE_AUDIT_STREAM"):
        read_receiver(text)
