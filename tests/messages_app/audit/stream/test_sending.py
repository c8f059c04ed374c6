"""The stream of the audit log: every entry comes, also after outages and from slow transactions."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psycopg
import pytest

from messages_app.audit import seals
from messages_app.audit.models import AuditEntry, AuditSeal
from messages_app.audit.services import Actor, record_entry
from messages_app.audit.stream.addresses import read_receiver
from messages_app.audit.stream.models import AuditStream
from messages_app.audit.stream.sending import read_stream_state, stream_entries
from tests.messages_app.audit.stream.receivers import Receiver, run_syslog, run_web
from tests.messages_app.core.deliveries.receiver import SECRET, verify_webhook
from tests.support.eventually import eventually
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

ADA = Actor(username="ada", user_id=7, address="192.0.2.1", request_id="r-1")
LATE = (
    "INSERT INTO audit_entry (actor, action, outcome, details, before_state, after_state, reason, token_name,"
    " request_id) VALUES ('late', 'restart', 'done', '{}', '', '', '', '', '') RETURNING entry_id"
)


@pytest.fixture
def receive(settings, tmp_path, monkeypatch) -> Iterator[Callable[[str], Receiver]]:
    """Give a function that starts a receiver and lets the console send there, from the next entry on."""
    with ExitStack() as stack:

        def start(scheme: str) -> Receiver:
            if scheme == "http":
                receiver = stack.enter_context(run_web())
            else:
                folder = tmp_path if scheme == "syslog+tls" else None
                receiver = stack.enter_context(run_syslog(scheme, folder))
                monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
            settings.AUDIT_STREAM = read_receiver(receiver.url)
            stream_entries()
            return receiver

        yield start


def add(*reasons: str) -> list[int]:
    """Record an entry for each reason, under one seal."""
    ids = [record_entry(actor=ADA, action="restart", msg_id=7, reason=reason).pk for reason in reasons]
    seals.seal_entries()
    return ids


def ids_of(receiver: Receiver) -> list[int]:
    return [entry["entry_id"] for entry in receiver.entries]


SCHEMES = ("syslog+udp", "syslog+tcp", "syslog+tls", "http")


class TestStream:
    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_sends_each_entry_once_in_the_order_of_ids(self, receive, scheme):
        receiver = receive(scheme)
        ids = add("one", "two\nlines \u202e\x1b[2K") + add("three")
        assert stream_entries() == 3
        eventually(lambda: len(receiver.entries) == 3)
        assert stream_entries() == 0
        assert ids_of(receiver) == ids
        assert [entry["reason"] for entry in receiver.entries] == ["one", "two\nlines \u202e\x1b[2K", "three"]
        entry = AuditEntry.objects.get(pk=ids[0])
        assert receiver.entries[0] == {
            "entry_id": ids[0],
            "at": entry.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "actor": "ada",
            "actor_id": 7,
            "token_name": "",
            "address": "192.0.2.1",
            "request_id": "r-1",
            "action": "restart",
            "outcome": "done",
            "msg_id": 7,
            "job_id": None,
            "subject_kind": "",
            "subject": "",
            "before_state": "",
            "after_state": "",
            "reason": "one",
            "details": {},
            "seal": AuditSeal.objects.order_by("seal_id").first().pk,
        }

    def test_is_one_line_of_syslog_with_its_severity(self, receive):
        receiver = receive("syslog+tcp")
        record_entry(actor=ADA, action="cancel", outcome=AuditEntry.Outcome.REFUSED)
        add("one\ntwo")
        stream_entries()
        assert [(head[0], head[3]) for head in receiver.heads] == [(b"108", b"cancel"), (b"110", b"restart")]
        assert receiver.heads[1][1].decode() == receiver.entries[1]["at"]

    def test_begins_with_the_next_entry(self, receive):
        add("before")
        receiver = receive("syslog+tcp")
        ids = add("after")
        stream_entries()
        assert ids_of(receiver) == ids

    def test_sends_nothing_without_a_receiver(self, settings):
        settings.AUDIT_STREAM = None
        add("one")
        assert stream_entries() == 0
        assert not AuditStream.objects.exists()

    def test_sends_an_entry_of_a_slow_transaction_after_its_end(self, receive):
        receiver = receive("syslog+tcp")
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as slow:
            (late,) = slow.execute(LATE).fetchone()
            first = add("during it")
            stream_entries()
            assert ids_of(receiver) == first
            slow.commit()
        second = add("after it")
        stream_entries()
        assert sorted(ids_of(receiver)) == sorted([late, *first, *second])

    def test_sends_an_entry_once_that_is_late_for_a_seal_not_yet_sent(self, receive, settings):
        receiver = receive("syslog+tcp")
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as slow:
            (late,) = slow.execute(LATE).fetchone()
            first = add("during it")
            slow.commit()
        second = add("after it")
        stream_entries()
        assert sorted(ids_of(receiver)) == sorted([late, *first, *second])

    def test_continues_after_an_outage_where_the_receiver_has_everything(self, receive, settings):
        receiver = receive("syslog+tcp")
        first = add("one")
        stream_entries()
        receiver.ends_after = 2
        second = add(*(f"{number} {'x' * 900}" for number in range(900)))
        assert stream_entries() == 0
        state, waiting = read_stream_state()
        assert waiting == 1
        assert state.error.startswith(f"{receiver.url} did not take the entries:")
        since = state.failing_since
        third = add("three")
        assert stream_entries() == 0
        assert read_stream_state()[0].failing_since == since
        receiver.ends_after = None
        assert stream_entries() == 901
        assert set(ids_of(receiver)) == {*first, *second, *third}
        assert ids_of(receiver)[-901:] == second + third
        state, waiting = read_stream_state()
        assert (waiting, state.error, state.failing_since) == (0, "", None)

    @pytest.mark.parametrize("scheme", ["syslog+tcp", "syslog+tls"])
    def test_keeps_its_place_if_a_receiver_stops_before_it_has_read_everything(self, receive, scheme):
        receiver = receive(scheme)
        receiver.ends_after, receiver.is_stopped = 2, True
        ids = add(*(f"{number} {'x' * 900}" for number in range(40)))
        assert stream_entries() == 0
        assert read_stream_state()[1] == 1
        receiver.ends_after = None
        assert stream_entries() == 40
        assert ids_of(receiver) == ids[:2] + ids

    def test_keeps_its_place_without_a_receiver(self, receive, settings):
        receive("syslog+tcp")
        settings.AUDIT_STREAM = read_receiver("syslog+tcp://127.0.0.1:1")
        ids = add("one")
        assert stream_entries() == 0
        assert "Connection refused" in AuditStream.objects.get().error
        with run_syslog("syslog+tcp") as other:
            settings.AUDIT_STREAM = read_receiver(other.url)
            assert stream_entries() == 1
        assert ids_of(other) == ids

    def test_trusts_no_certificate_that_the_machine_does_not_know(self, receive, monkeypatch):
        receiver = receive("syslog+tls")
        monkeypatch.delenv("SSL_CERT_FILE")
        add("one")
        assert stream_entries() == 0
        assert "CERTIFICATE_VERIFY_FAILED" in AuditStream.objects.get().error
        assert receiver.entries == []

    @pytest.mark.parametrize("status", [302, 401, 500])
    def test_keeps_its_place_if_a_web_server_does_not_take_entries(self, receive, status):
        receiver = receive("http")
        ids = add("one")
        receiver.status = status
        assert stream_entries() == 0
        assert AuditStream.objects.get().error.endswith(f"answered {status}.")
        receiver.status = 200
        stream_entries()
        assert ids_of(receiver) == ids

    def test_sends_a_web_server_signed_parts_that_have_an_id_each(self, receive, settings):
        settings.WEBHOOK_SECRETS = [SECRET]
        receiver = receive("http")
        settings.AUDIT_STREAM = read_receiver(receiver.url.replace("//", "//hub:s3cret@") + "/audit?a=b")
        ids = add(*map(str, range(501)))
        assert stream_entries() == 501
        assert ids_of(receiver) == ids
        seal = AuditSeal.objects.latest("seal_id").pk
        delivered = [request["webhook-id"] for request in receiver.requests]
        assert delivered == [f"audit-{seal}-0", f"audit-{seal}-1"]
        for request, body in zip(receiver.requests, receiver.bodies, strict=True):
            verify_webhook(request, body)
        assert receiver.requests[0]["Authorization"].startswith("Basic ")

    def test_is_sent_by_one_worker_at_a_time(self, receive):
        receiver = receive("syslog+tcp")
        ids = add(*map(str, range(200)))
        assert sorted(in_threads(stream_entries, stream_entries, stream_entries)) == [0, 0, 200]
        assert ids_of(receiver) == ids

    def test_is_taken_over_from_a_worker_that_died(self, receive):
        receiver = receive("syslog+tcp")
        ids = add("one")
        AuditStream.objects.update(leased_until="2100-01-01T00:00:00Z")
        assert stream_entries() == 0
        AuditStream.objects.update(leased_until="2001-01-01T00:00:00Z")
        assert stream_entries() == 1
        assert ids_of(receiver) == ids

    def test_leaves_out_details_that_no_datagram_can_carry(self, receive):
        receiver = receive("syslog+udp")
        record_entry(actor=ADA, action="restart", details={"a": "x" * 70_000})
        add("small")
        stream_entries()
        eventually(lambda: len(receiver.entries) == 2)
        assert receiver.entries[0]["details"] == {"left_out": "too long for UDP"}

    def test_ends_in_time_with_a_receiver_that_reads_nothing(self, receive, settings, monkeypatch):
        monkeypatch.setattr("messages_app.audit.stream.syslog.SECONDS_OF_END", 0.3)
        with socket.create_server(("127.0.0.1", 0)) as deaf:
            receive("syslog+tcp")
            settings.AUDIT_STREAM = read_receiver(f"syslog+tcp://127.0.0.1:{deaf.getsockname()[1]}")
            add("one")
            began = time.monotonic()
            assert stream_entries() == 0
            assert time.monotonic() - began < 5
            assert "timed out" in AuditStream.objects.get().error
