"""
The address of the receiver of the audit log: a syslog server, or a web address.

The settings import this module. Source: docs/howto/stream_the_audit_log.md.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

# The usual ports of syslog, RFC 5426, RFC 6587 and RFC 5425.
_PORTS = {"syslog+udp": 514, "syslog+tcp": 601, "syslog+tls": 6514}
HTTPS = "https"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
NAME = "HUBCONSOLE_AUDIT_STREAM"


class InvalidAddress(Exception):
    """The address is not one of a receiver; the text names the setting."""


@dataclass(frozen=True, kw_only=True)
class Receiver:
    """
    Args:
        scheme: syslog+udp, syslog+tcp, syslog+tls or https.
        host, port: of a syslog server.
        url: the whole address, with the secrets that it may have.
    """

    scheme: str
    host: str
    port: int
    url: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"


def read_receiver(text: str) -> Receiver | None:
    """
    Return the receiver that a setting names; None: it is empty.

    Raises:
        InvalidAddress: it is not an address of one.
    """
    text = text.strip()
    if not text:
        return None
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise InvalidAddress(f"{NAME} is not an address: {error}.") from error
    is_web = parts.scheme == HTTPS or (parts.scheme == "http" and host in _LOOPBACK)
    if not host or not (is_web or parts.scheme in _PORTS):
        raise InvalidAddress(
            f"{NAME} must be syslog+tls://host:port, syslog+tcp://, syslog+udp:// or https://, not"
            f" {parts.scheme[:20]!r}."
        )
    if not is_web and (parts.path.strip("/") or parts.query or parts.username):
        raise InvalidAddress(f"{NAME} must have only a host and a port after {parts.scheme}://.")
    scheme = HTTPS if is_web else parts.scheme
    return Receiver(scheme=scheme, host=host, port=port or _PORTS.get(scheme, 443), url=text)
