"""A local user without any secret connects to every port that the console's processes listen on."""

import contextlib
import json
import socket
import struct
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import psycopg

from messages_app.core.embedded_servers import last_endpoint

_HOST = "127.0.0.1"
# A message for Spark's block manager and one for its driver's RPC: the serialised Java string "A".
_BLOCKS = b"\0" + b"".join(struct.pack(">i", len(word)) + word for word in (b"app", b"driver"))
_JAVA_STRING = bytes.fromhex("aced0005") + b"t\0\1A"


def listening(home: Path) -> dict[int, str]:
    """Return the ports that programs of this home and their children listen on, with the programs' names."""
    found = {}
    for record in (home / "run").glob("*.json"):
        leader = psutil.Process(json.loads(record.read_text())["pid"])
        for process in (leader, *leader.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                sockets = process.net_connections("all")
                name = "gunicorn" if "gunicorn" in process.cmdline() else process.name()
                found |= {one.laddr.port: name for one in sockets if one.status == "LISTEN"}
    return found


def answer_to_stranger(home: Path, port: int, program: str) -> str:
    """Connect without a secret and return, in a word or two, what the listener answers."""
    if program == "postgres":
        return _postgres(port)
    if program == "valkey-server":
        return _raw(port, b"PING\r\n").decode().split()[0]
    if program == "java":
        return _connect(port) if port == last_endpoint(home, "spark").port else _java(port)
    if program == "gunicorn":
        return _web(port)
    return _raw(port, _counted(b"guessed"))[8:].decode()


def _postgres(port: int) -> str:
    try:
        with psycopg.connect(
            host=_HOST, port=port, user="hubconsole", password="guessed", dbname="hubconsole"
        ) as session:
            return f"lets in {session.info.user}"
    except psycopg.OperationalError as error:
        return (
            "password authentication failed" if "password authentication failed" in str(error) else str(error)
        )


def _web(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/api/v1/messages/", timeout=20) as answer:
            return str(answer.status)
    except urllib.error.HTTPError as error:
        return str(error.code)


def _connect(port: int) -> str:
    """Spark Connect: ask by gRPC, without a token."""
    import grpc

    with grpc.insecure_channel(f"{_HOST}:{port}") as channel:
        call = channel.unary_unary("/spark.connect.SparkConnectService/AnalyzePlan")
        try:
            call(b"", timeout=30)
        except grpc.RpcError as error:
            return error.code().name
    return "answered"


def _java(port: int) -> str:
    """A page, or Spark's own protocol: it must never read data from a stranger."""
    page = _raw(port, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    if page.startswith(b"HTTP/"):
        return page.split()[1].decode()
    told = b"".join(_raw(port, _spark_call(body)) for body in (_rpc(port), _BLOCKS, b"anything"))
    refused = told.count(b"IllegalArgumentException: Unknown challenge message.")
    return "refused" if refused == 3 and b"NettyRpcHandler" not in told else told.decode(errors="replace")


def _rpc(port: int) -> bytes:
    """Return a call of the endpoint that every driver has, as `RequestMessage` has it."""
    name = b"endpoint-verifier"
    sender = b"\0"
    receiver = b"\1" + struct.pack(">H", len(_HOST)) + _HOST.encode() + struct.pack(">i", port)
    return sender + receiver + struct.pack(">H", len(name)) + name + _JAVA_STRING


def _spark_call(body: bytes) -> bytes:
    """Return a frame of Spark's transport: an `RpcRequest` numbered 77."""
    message = struct.pack(">bqi", 3, 77, len(body)) + body
    return struct.pack(">q", 8 + len(message)) + message


def _counted(text: bytes) -> bytes:
    return struct.pack(">i", len(text)) + text


def _raw(port: int, sent: bytes) -> bytes:
    """Send bytes and return what comes back, until it ends or nothing more comes for a second."""
    told = b""
    with socket.create_connection((_HOST, port), timeout=20) as peer:
        peer.sendall(sent)
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while part := peer.recv(65_536):
                told += part
                peer.settimeout(1)
    return told
