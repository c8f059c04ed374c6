"""The client against a running console: lists, refusals, jobs, exports, repeated requests."""

import asyncio
import csv
import io
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from messages_app.jobs.models import Job
from messages_app.messages.models import Message
from tests.client.unreliable_proxy import run_proxy
from tests.support.api_client import caller
from tests.support.certificates import make_certificate
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.local_server import LocalHandler, LocalServer, run_server

pytestmark = pytest.mark.django_db(transaction=True)
SINCE = datetime(2026, 11, 1, 12, tzinfo=UTC)


def make_failed(count: int, **columns) -> list[int]:
    times = [SINCE + timedelta(minutes=number) for number in range(count)]
    return [make_message(state="FAILED", receive_timestamp=time, **columns).pk for time in times]


class TestListing:
    def test_has_the_entries_of_all_pages(self, hub):
        made = make_failed(7, service_name="billing")
        make_message(state="OK", service_name="billing")
        listed = hub.messages.list(state="FAILED", service_name="billing", page_size=3)
        assert [message["msg_id"] for message in listed] == made[::-1]
        assert [len(page) for page in listed.list_pages()] == [3, 3, 1]

    def test_takes_times_and_several_values(self, hub):
        made = make_failed(3)
        listed = hub.messages.list(
            state=["FAILED", "OK"], receive_timestamp_from=SINCE + timedelta(seconds=90)
        )
        assert [message["msg_id"] for message in listed] == [made[2]]
        assert {message["msg_id"] for message in hub.messages.list(msg_id=made[:2])} == set(made[:2])

    def test_takes_several_names(self, hub):
        made = [make_message(state="FAILED", service_name=name).pk for name in ("billing", "orders", "stock")]
        listed = hub.messages.list(service_name=["billing", "orders"], state={"FAILED", "OK"}, page_size=1)
        assert {message["msg_id"] for message in listed} == set(made[:2])

    def test_has_no_first_entry_if_it_is_empty(self, hub):
        assert hub.messages.list(state="FAILED").find_first() is None

    def test_refuses_a_time_without_a_zone(self, hub):
        with pytest.raises(ValueError, match="no time zone"):
            hub.messages.list(receive_timestamp_from=datetime(2026, 11, 1)).find_first()  # noqa: DTZ001


class TestRefusals:
    def test_have_a_class_for_each_meaning(self, hub, live_server):
        from hubconsole_client import BadInput, Client, Conflict, NotAllowed, NotFound, NotLoggedIn

        done = make_message(state="OK").pk
        with pytest.raises(NotFound) as unknown:
            hub.messages.get(123_456)
        assert (unknown.value.status, unknown.value.code) == (404, "not_found")
        with pytest.raises(BadInput) as empty:
            hub.messages.restart(done, reason="")
        assert [(error["field"], error["code"]) for error in empty.value.errors] == [("reason", "required")]
        with pytest.raises(Conflict) as final:
            hub.messages.restart(done, reason="again")
        assert final.value.problem["current_state"] == "OK"
        with pytest.raises(NotAllowed):
            hub.tokens.create(user="ada", reason="x", name="x", scopes=["messages:read"])
        with Client(live_server.url, "unknown") as stranger, pytest.raises(NotLoggedIn):
            stranger.me.get()

    def test_say_a_single_reason_once(self, hub):
        with pytest.raises(Exception, match="reason") as empty:
            hub.messages.restart(make_message(state="FAILED").pk, reason="")
        assert str(empty.value) == "400 required: reason must not be empty."

    @pytest.mark.parametrize("url", ["hub.example.org", "ftp://hub.example.org", "https://hub/?a=b", ""])
    def test_name_a_wrong_address(self, url):
        from hubconsole_client import Client

        with pytest.raises(ValueError, match="not the address of a console"):
            Client(url, "token")

    @pytest.mark.parametrize("token", ["", "a\nb", "ключ"])
    def test_name_a_wrong_token(self, token):
        from hubconsole_client import Client

        with pytest.raises(ValueError, match="token"):
            Client("https://hub.example.org", token)

    @pytest.mark.parametrize("msg_id", ["..", "", "."])
    def test_do_not_send_an_id_that_leaves_the_path(self, hub, msg_id):
        with pytest.raises(ValueError, match="not an id"):
            hub.messages.get(msg_id)


class TestRequests:
    def test_act_once_if_the_answer_is_lost(self, live_server):
        from hubconsole_client import Client

        failed = make_message(state="FAILED").pk
        with (
            run_proxy(live_server.url, losing=2) as proxy,
            Client(proxy.address, caller("operator").token) as hub,
        ):
            assert hub.messages.restart(failed, reason="it is back")["state"] == "PARTLY_FAILED"
            assert len(proxy.passed) == 3
            assert len({headers["Idempotency-Key"] for _, headers in proxy.passed}) == 1

    def test_wait_as_long_as_the_console_asks(self, live_server):
        from hubconsole_client import Client

        with (
            run_proxy(live_server.url, busy=1) as proxy,
            Client(proxy.address, caller("operator").token) as hub,
        ):
            began = time.monotonic()
            assert hub.me.get()["user"] == "ada"
            assert time.monotonic() - began >= 1

    def test_are_given_up_when_the_patience_ends(self):
        from hubconsole_client import Client, Unreachable

        with Client("http://127.0.0.1:9", "token", patience=0.2) as hub, pytest.raises(Unreachable) as away:
            hub.me.get()
        assert not away.value.may_have_acted

    def test_to_a_console_with_a_certificate_that_is_not_trusted_are_not_repeated(self, tmp_path):
        from hubconsole_client import Client, NotTrusted

        server = LocalServer(LocalHandler)
        server.socket = make_certificate(tmp_path).wrap_socket(server.socket, server_side=True)
        began = time.monotonic()
        hub = Client(server.address.replace("http", "https"), "token")
        with run_server(server), hub, pytest.raises(NotTrusted, match="self-signed certificate"):
            hub.me.get()
        assert time.monotonic() - began < 20

    def test_that_change_without_a_key_are_not_repeated_after_a_lost_answer(self, live_server):
        from hubconsole_client import Client, Unreachable

        admin = caller("admin")
        with run_proxy(live_server.url, losing=1) as proxy, Client(proxy.address, admin.token) as hub:
            with pytest.raises(Unreachable) as lost:
                hub.jobs.update(1, rate=5, reason="slower")
            assert lost.value.may_have_acted
            assert len(proxy.passed) == 1

    def test_act_on_what_was_read_with_its_tag(self, hub):
        failed = make_message(state="FAILED").pk
        tag = hub.read_tag(f"messages/{failed}/")
        assert hub.messages.restart(failed, reason="again", if_match=tag)["state"] == "PARTLY_FAILED"

    @pytest.mark.parametrize("key", ["", "a b", "a\n", "kü"])
    def test_are_not_sent_with_a_wrong_key(self, hub, key):
        failed = make_message(state="FAILED").pk
        with pytest.raises(ValueError, match="idempotency_key must be"):
            hub.messages.restart(failed, reason="again", idempotency_key=key)
        assert Message.objects.get(pk=failed).state == "FAILED"

    def test_to_something_else_than_a_console_say_so(self, live_server):
        from hubconsole_client import Client, NotFound, Refused

        elsewhere = Client(f"{live_server.url}/elsewhere", "token")
        with elsewhere as hub, pytest.raises(Refused, match="not from the API of a console") as other:
            hub.me.get()
        assert not isinstance(other.value, NotFound)

    def test_act_only_on_what_has_not_changed(self, hub):
        from hubconsole_client import Conflict

        failed = make_message(state="FAILED").pk
        with pytest.raises(Conflict) as changed:
            hub.messages.restart(failed, reason="again", if_match='"another-tag"')
        assert changed.value.status == 412


class TestJobs:
    def test_run_until_they_end(self, hub, worker):
        made = make_failed(5)
        seen: list[str] = []
        job = hub.run_job(
            kind="restart",
            filter={"msg_id": made},
            reason="it is back",
            on_progress=lambda job: seen.append(job["state"]),
        )
        assert (job["state"], job["done"]) == ("done", 5)
        assert seen[-1] == "done"
        assert Message.objects.filter(state="PARTLY_FAILED").count() == 5
        assert {item["msg_id"] for item in hub.jobs.items(job["job_id"], page_size=2)} == set(made)

    def test_that_are_dry_runs_end_planned(self, hub, worker):
        job = hub.run_job(kind="restart", filter={"msg_id": make_failed(2)}, reason="try", dry_run=True)
        assert (job["state"], job["planned"]) == ("planned", 2)
        assert Message.objects.filter(state="FAILED").count() == 2

    def test_that_wait_for_a_person_are_not_done(self, hub, worker):
        from hubconsole_client import JobNotDone

        with pytest.raises(JobNotDone, match="is paused") as paused:
            hub.run_job(
                kind="restart", filter={"msg_id": make_failed(3)}, reason="try", options={"canary": 1}
            )
        assert paused.value.job["paused_for"] == "canary"

    def test_are_asked_about_rarely_in_the_last_second(self, live_server, token, worker):
        from hubconsole_client import Client

        slow = {"msg_id": make_failed(3)}
        with run_proxy(live_server.url) as proxy, Client(proxy.address, token) as hub:
            job = hub.jobs.create(kind="restart", filter=slow, reason="slowly", options={"rate": 0.01})
            before = len(proxy.passed)
            with pytest.raises(TimeoutError):
                hub.wait_for_job(job["job_id"], seconds=0.9)
        assert len(proxy.passed) - before <= 3

    def test_that_are_paused_already_are_noticed_immediately(self, hub, worker):
        slow = {"msg_id": make_failed(3)}
        job = hub.jobs.create(kind="restart", filter=slow, reason="slowly", options={"rate": 0.01})
        eventually(lambda: hub.jobs.get(job["job_id"])["state"] == "running")
        hub.jobs.pause(job["job_id"], reason="hold")
        began = time.monotonic()
        with pytest.raises(Exception, match="is paused"):
            hub.wait_for_job(job["job_id"])
        assert time.monotonic() - began < 8

    def test_do_not_keep_a_caller_longer_than_asked(self, hub):
        slow = {"msg_id": make_failed(3)}
        with pytest.raises(TimeoutError, match="after 1 s"):
            hub.run_job(kind="restart", filter=slow, reason="slowly", options={"rate": 0.01}, seconds=1)
        assert Job.objects.count() == 1


class TestExports:
    @pytest.fixture
    def export(self, hub, worker) -> int:
        options = {"format": "csv"}
        return hub.run_job(kind="export", filter={"msg_id": make_failed(4)}, options=options, reason="x")[
            "job_id"
        ]

    def test_arrive_whole(self, hub, export, tmp_path):
        (path,) = hub.download_export(export, tmp_path)
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
        assert {row["state"] for row in rows} == {"FAILED"}
        assert len(rows) == 4
        assert list(tmp_path.iterdir()) == [path]

    def test_of_another_kind_of_job_are_refused(self, hub, worker, tmp_path):
        job = hub.run_job(kind="restart", filter={"msg_id": make_failed(1)}, reason="x")
        with pytest.raises(ValueError, match="is not an export"):
            hub.download_export(job["job_id"], tmp_path / "new")

    def test_that_are_damaged_on_the_way_are_not_kept(self, live_server, token, export, tmp_path):
        from hubconsole_client import Client, Damaged

        with (
            run_proxy(live_server.url, damaging="/download/") as proxy,
            Client(proxy.address, token) as other,
            pytest.raises(Damaged, match="SHA-256"),
        ):
            other.download_export(export, tmp_path)
        assert list(tmp_path.iterdir()) == []


class TestAsyncClient:
    def test_lists_acts_and_waits(self, live_server, worker):
        from hubconsole_client import AsyncClient

        made = make_failed(3)
        token = caller("operator").token

        async def act() -> None:
            async with AsyncClient(live_server.url, token) as hub:
                listed = [
                    message["msg_id"] async for message in hub.messages.list(state="FAILED", page_size=2)
                ]
                assert listed == made[::-1]
                first = await hub.messages.list(state="FAILED").find_first()
                assert first is not None
                assert first["msg_id"] == made[-1]
                job = await hub.run_job(kind="restart", filter={"msg_id": made}, reason="it is back")
                assert job["done"] == 3

        _run(act())


def _run(coroutine) -> None:
    """Run a coroutine in a thread, because Django refuses queries of a fixture next to a running loop."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(coroutine)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
