"""The audit log in a real rsyslog over TCP and TLS: no entry is lost, whatever happens to the server."""

import threading
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import connection

from messages_app.audit.models import AuditSeal
from messages_app.audit.services import record_entry
from messages_app.audit.stream.addresses import read_receiver
from messages_app.audit.stream.sending import read_stream_state, stream_entries
from tests.integrations.syslog_server import SyslogServer
from tests.messages_app.audit.stream.test_sending import ADA, add
from tests.support.eventually import eventually

pytestmark = [pytest.mark.integrations, pytest.mark.django_db(transaction=True)]


@pytest.fixture(params=["syslog+tcp", "syslog+tls"])
def server(request, settings, tmp_path, monkeypatch) -> Iterator[SyslogServer]:
    """Give a running server, to which the console sends from the next entry on."""
    server = SyslogServer(tmp_path, request.param)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    settings.AUDIT_STREAM = read_receiver(server.url)
    server.start()
    stream_entries()
    yield server
    server.stop()


def stream_all() -> None:
    """Send until nothing waits, as the worker does every few seconds."""
    eventually(lambda: stream_entries() == 0 and read_stream_state()[1] == 0)


def send_for_a_while() -> None:
    """Send as another thread, with a connection of its own."""
    for _ in range(3):
        stream_entries(seconds=1)
    connection.close()


def test_each_entry_comes_once_and_whole(server):
    ids = add("one", 'two\nlines \u202e "quoted" \x1b[2K ý', "x" * 1000)
    ids.append(record_entry(actor=ADA, action="restart", details={"ids": list(range(9000))}).pk)
    ids += add("after it")
    stream_all()
    server.stop()
    entries = server.read_entries()
    assert [entry["entry_id"] for entry in entries] == ids
    assert entries[1]["reason"] == 'two\nlines \u202e "quoted" \x1b[2K ý'
    assert entries[3]["details"] == {"ids": list(range(9000))}


def test_nothing_is_missing_or_twice_after_an_outage(server):
    first = add("before")
    stream_all()
    server.stop()
    second = add(*(f"during {number}" for number in range(300)))
    assert stream_entries() == 0
    state, waiting = read_stream_state()
    assert (waiting, state.error != "", state.failing_since is not None) == (1, True, True)
    server.start()
    third = add("after")
    stream_all()
    server.stop()
    assert server.read_ids() == first + second + third
    state, waiting = read_stream_state()
    assert (waiting, state.error, state.failing_since) == (0, "", None)


def test_nothing_is_missing_if_the_server_is_restarted_while_the_console_sends(server):
    """Only entries of a seal that was not confirmed may come twice, as the guide says."""
    seals = [add(*(f"{place} {number} {'x' * 900}" for number in range(400))) for place in range(20)]
    sender = threading.Thread(target=send_for_a_while)
    sender.start()
    for _ in range(3):
        time.sleep(0.05)
        server.stop()
        server.start()
    sender.join()
    stream_all()
    server.stop()
    times = Counter(server.read_ids())
    assert set(times) == {entry_id for ids in seals for entry_id in ids}
    repeated = {place for place, ids in enumerate(seals) if any(times[entry_id] > 1 for entry_id in ids)}
    assert len(repeated) <= 3
    assert AuditSeal.objects.latest("seal_id").pk == read_stream_state()[0].seal_id
