"""nginx in front of an object store: it passes requests on, or refuses them in the words of Amazon S3."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support import nginx
from tests.support.eventually import eventually

# The answer is that of Amazon S3: API Reference, "Error responses".
_EXPIRED = (
    "<?xml version='1.0' encoding='UTF-8'?><Error><Code>ExpiredToken</Code>"
    "<Message>The provided token has expired.</Message></Error>"
)


@dataclass(frozen=True, kw_only=True)
class StoreGate:
    """A gate: its address, and the file that makes each request one with an expired token."""

    endpoint: str
    expired: Path


@contextmanager
def open_gate(folder: Path, store: str, *, requests_a_minute: int | None = None) -> Iterator[StoreGate]:
    """
    Run a gate in front of the store with this address.

    Args:
        requests_a_minute: after one more than these in a minute, it answers 503.
    """
    folder.mkdir()
    program = nginx.binary(folder)
    port = int(store.rpartition(":")[2]) + 1
    zone, limit = "", ""
    if requests_a_minute is not None:
        zone = f"limit_req_zone $server_name zone=all:1m rate={requests_a_minute}r/m;"
        limit = "limit_req zone=all burst=1 nodelay; limit_req_status 503;"
    gate = StoreGate(endpoint=f"http://127.0.0.1:{port}", expired=folder / "expired")
    configuration = nginx.write_configuration(
        folder,
        f"  {zone}\n"
        f"  server {{ listen 127.0.0.1:{port}; server_name hub; client_max_body_size 0;\n"
        f"    default_type application/xml; {limit}\n"
        f'    if (-f {gate.expired}) {{ return 400 "{_EXPIRED}"; }}\n'
        f"    location / {{ proxy_pass {store}; proxy_set_header Host $http_host; }} }}",
    )
    process = subprocess.Popen([program, "-c", configuration])
    try:
        eventually(lambda: (folder / "pid").exists())
        yield gate
    finally:
        process.terminate()
        process.wait()
