"""
Entries of the audit log as syslog messages (RFC 5424), over UDP, TCP or TLS.

Over TCP and TLS each message has its length before it (RFC 6587, RFC 5425). At the end the console closes
its half of the connection and waits for the receiver to close the other: then it has read everything.
"""

import json
import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from typing import Any

from messages_app.audit.stream.addresses import Receiver

_SECONDS = 5.0  # to connect, and for each message
SECONDS_OF_END = 10.0  # for the receiver to read the rest
# Facility 13, log audit; severity 6, informational, and 4, warning.
_DONE, _REFUSED = 13 * 8 + 6, 13 * 8 + 4
_UDP = "syslog+udp"
_TLS = "syslog+tls"
# A datagram has no more; longer entries lose their details.
_MAX_DATAGRAM = 60_000


class NotReceived(Exception):
    """The receiver did not confirm the entries; the text says why."""


def send_by_syslog(receiver: Receiver, entries: Iterable[Mapping[str, Any]]) -> None:
    """
    Send entries in their order.

    Raises:
        NotReceived: the receiver is away, or ended the connection before it read everything.
    """
    try:
        if receiver.scheme == _UDP:
            _send_datagrams(receiver, entries)
        else:
            _send_stream(receiver, entries)
    except OSError as error:
        raise NotReceived(f"{receiver} did not take the entries: {error}.") from error


def write_message(entry: Mapping[str, Any]) -> bytes:
    """Return the syslog message of an entry: its content is one JSON object, in ASCII."""
    priority = _REFUSED if entry["outcome"] == "refused" else _DONE
    head = f"<{priority}>1 {entry['at']} {socket.gethostname()} hubconsole - {entry['action'][:32]} -"
    return f"{head} {json.dumps(entry)}".encode("ascii")


def _send_datagrams(receiver: Receiver, entries: Iterable[Mapping[str, Any]]) -> None:
    family, _, _, _, address = socket.getaddrinfo(receiver.host, receiver.port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, socket.SOCK_DGRAM) as datagrams:
        for entry in entries:
            message = write_message(entry)
            if len(message) > _MAX_DATAGRAM:
                message = write_message({**entry, "details": {"left_out": "too long for UDP"}})
            datagrams.sendto(message, address)


def _send_stream(receiver: Receiver, entries: Iterable[Mapping[str, Any]]) -> None:
    with _connect_stream(receiver) as stream:
        for entry in entries:
            message = write_message(entry)
            stream.sendall(b"%d %s" % (len(message), message))
        _await_end(stream)


def _connect_stream(receiver: Receiver) -> socket.socket:
    stream = socket.create_connection((receiver.host, receiver.port), timeout=_SECONDS)
    if receiver.scheme != _TLS:
        return stream
    try:
        # Checks the name, with the certificates of the system or of SSL_CERT_FILE.
        return ssl.create_default_context().wrap_socket(stream, server_hostname=receiver.host)
    except OSError:
        stream.close()
        raise


def _await_end(stream: socket.socket) -> None:
    """
    Close one half, and wait until the receiver closes the other.

    A receiver that is stopped closes its connections too, in TLS with "close notify". But what it has not
    read by then resets the connection, and that is an error here.
    """
    if isinstance(stream, ssl.SSLSocket):
        stream.settimeout(SECONDS_OF_END)
        stream = stream.unwrap()  # Sends "close notify", and waits for that of the receiver.
    stream.shutdown(socket.SHUT_WR)
    end = time.monotonic() + SECONDS_OF_END
    while (left := end - time.monotonic()) > 0:
        stream.settimeout(left)
        if not stream.recv(4096):
            return
    raise TimeoutError("it did not end the connection")
