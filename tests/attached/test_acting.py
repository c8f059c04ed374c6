"""Every action and every kind of job on attached hubs, by the API and a real worker, and their rows."""

import csv
import io
import json
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.management import call_command

from messages_app.messages.alerts.checks import check_rules
from tests.support import workers
from tests.support.api_client import ApiClient, caller
from tests.support.attached import AttachedHub, attached_hub
from tests.support.eventually import eventually
from tests.support.hub_digests import digests
from tests.support.hubs import LAYOUTS
from tests.support.stores import define, set_process
from tests.support.stores import store as store_message

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("worker", "kept")]

# The rows of tests/support/hubs/sql: every state, a WAITING parent with two children, a final family.
STATES = {
    **{1: "PROCESSING", 2: "OK", 3: "PARTLY_FAILED", 4: "FAILED", 5: "CANCEL", 6: "WAITING_FOR_RES"},
    **{7: "WAITING", 8: "POSTPONED", 9: "OK", 10: "PARTLY_FAILED", 20: "OK", 21: "CANCEL", 22: "FAILED"},
}
OF_OPENHUB_2 = {11: "NEW", 12: "IN_QUEUE"}
# Final, old enough, and of final families only: 9 has a parent that waits.
ARCHIVED = [2, 4, 5, 20, 21, 22]
ENDED = {"done", "failed", "stopped"}
WHY = "the target is back"


@pytest.fixture(scope="module", params=LAYOUTS)
def hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with (
        django_db_blocker.unblock(),
        attached_hub(request.param, "--create-triggers", more_rows=["rows_to_archive"]) as attached,
    ):
        yield attached


@pytest.fixture(scope="module")
def worker(hub: AttachedHub, spark_remote: str, tmp_path_factory) -> Iterator[None]:
    before, archive = settings.HUBCONSOLE_ARCHIVE_URI, str(tmp_path_factory.mktemp("archive"))
    running = workers.launch("spark", 1, {"HUB_RULES": "", "HUBCONSOLE_ARCHIVE_URI": archive})
    settings.HUBCONSOLE_ARCHIVE_URI = archive
    yield
    settings.HUBCONSOLE_ARCHIVE_URI = before
    workers.kill(running)


@pytest.fixture(scope="module")
def api(hub: AttachedHub) -> ApiClient:
    return caller("admin", "operator", "view_payload", username="grace")


@pytest.fixture
def kept(hub: AttachedHub) -> Iterator[dict[str, object]]:
    """Give digests of the tables of the hub; put its messages and calls back after the test."""
    hub.run("DROP SCHEMA IF EXISTS kept CASCADE; CREATE SCHEMA kept")
    for table in ("message", "external_call"):
        hub.run(f"CREATE TABLE kept.{table} AS SELECT * FROM {{hub}}.{table}")
    yield digests()
    hub.run(
        "UPDATE {hub}.message AS now"
        "   SET state = kept.state, last_update_timestamp = kept.last_update_timestamp"
        "  FROM kept.message AS kept WHERE kept.msg_id = now.msg_id"
    )
    hub.run(
        "INSERT INTO {hub}.external_call SELECT * FROM kept.external_call"
        " WHERE call_id NOT IN (SELECT call_id FROM {hub}.external_call)"
        "   AND msg_id IN (SELECT msg_id FROM {hub}.message)"
    )


def expected_states(hub: AttachedHub, **changes: str) -> dict[int, str]:
    """Return the state of each message after changes, written as m4="CANCEL"."""
    states = STATES | (OF_OPENHUB_2 if hub.layout == "OpenHub 2.3" else {})
    return states | {int(name[1:]): state for name, state in changes.items()}


def states(hub: AttachedHub) -> dict[int, str]:
    return dict(hub.run("SELECT msg_id, state FROM {hub}.message ORDER BY msg_id"))


def changed_columns(hub: AttachedHub) -> dict[int, set[str]]:
    """Return the columns of each message that differ from before the test."""
    rows = hub.run(
        "SELECT now.msg_id, now, old FROM (SELECT msg_id, to_jsonb(m) AS now FROM {hub}.message AS m) AS now"
        "  JOIN (SELECT msg_id, to_jsonb(m) AS old FROM kept.message AS m) AS old USING (msg_id)"
    )
    found = {}
    for msg_id, now, old in ((key, json.loads(now), json.loads(old)) for key, now, old in rows):
        if names := {name for name in now if now[name] != old[name]}:
            found[msg_id] = names
    return found


def calls(hub: AttachedHub) -> set[int]:
    return {call_id for (call_id,) in hub.run("SELECT call_id FROM {hub}.external_call")}


def ended(api: ApiClient, job_id: int) -> dict:
    def look() -> dict | None:
        job = api.get(f"jobs/{job_id}/").json()
        return job if job["state"] in ENDED else None

    job = eventually(look, 300.0, every=0.3)
    assert (job["state"], job["error"]) == ("done", ""), job
    return job


def run(api: ApiClient, kind: str, filter: dict[str, object] | None = None, **options: object) -> dict:
    body = {"kind": kind, "filter": filter or {}, "options": options, "reason": WHY}
    answer = api.post("jobs/", body)
    assert answer.status_code == 202, answer.content
    return ended(api, answer.json()["job_id"])


def undo(api: ApiClient, job: dict) -> dict:
    answer = api.post(f"jobs/{job['job_id']}/undo/", {"reason": "a mistake"})
    assert answer.status_code == 202, answer.content
    return ended(api, answer.json()["job_id"])


def done_by(api: ApiClient, job: dict) -> list[int]:
    found = api.get(f"jobs/{job['job_id']}/items/?outcome=done").json()["results"]
    return sorted(item["msg_id"] for item in found)


def ids(api: ApiClient, query: str) -> list[int]:
    answer = api.get(f"messages/?{query}")
    assert answer.status_code == 200, answer.content
    return sorted(message["msg_id"] for message in answer.json()["results"])


class TestOneMessage:
    def test_a_cancel_changes_one_state_and_is_in_the_audit(self, hub, api):
        answer = api.post("messages/3/cancel/", {"reason": WHY})
        assert (answer.status_code, answer.json()["state"]) == (200, "CANCEL")
        assert states(hub) == expected_states(hub, m3="CANCEL")
        assert changed_columns(hub) == {3: {"state"}}
        newest = api.get("audit/?action=cancel").json()["results"][0]
        assert (newest["actor"], newest["msg_id"], newest["reason"]) == ("grace", 3, WHY)
        changes = hub.run("SELECT from_state, to_state, actor FROM message_event WHERE msg_id = 3")
        assert changes[-1] == ("PARTLY_FAILED", "CANCEL", "grace")
        assert "CANCEL" in api.get("messages/3/timeline/").content.decode()

    def test_a_restart_changes_state_and_time(self, hub, api):
        answer = api.post("messages/4/restart/", {"reason": WHY})
        assert (answer.status_code, answer.json()["state"]) == (200, "PARTLY_FAILED")
        assert states(hub) == expected_states(hub, m4="PARTLY_FAILED")
        assert changed_columns(hub) == {4: {"state", "last_update_timestamp"}}
        assert calls(hub) == {*(100 + msg_id for msg_id in range(1, 11)), 120}

    def test_a_restart_from_scratch_removes_its_calls(self, hub, api):
        answer = api.post("messages/5/restart/", {"reason": WHY, "total": True})
        assert (answer.status_code, answer.json()["state"]) == (200, "PARTLY_FAILED")
        assert calls(hub) == {*(100 + msg_id for msg_id in range(1, 11) if msg_id != 5), 120}

    def test_a_state_that_does_not_allow_it_is_a_conflict(self, hub, api, kept):
        for address in ("messages/5/cancel/", "messages/1/restart/"):
            answer = api.post(address, {"reason": WHY})
            assert (answer.status_code, answer.json()["code"]) == (409, "state_conflict")
        assert digests() == kept


class TestJobs:
    def test_cancel_and_its_undo(self, hub, api):
        job = run(api, "cancel", {"state": ["PARTLY_FAILED", "POSTPONED"]})
        assert done_by(api, job) == [3, 8, 10]
        assert states(hub) == expected_states(hub, m3="CANCEL", m8="CANCEL", m10="CANCEL")
        assert changed_columns(hub) == {3: {"state"}, 8: {"state"}, 10: {"state"}}
        assert done_by(api, undo(api, job)) == [3, 8, 10]
        assert states(hub) == expected_states(hub)

    def test_restart_failed_messages(self, hub, api):
        assert done_by(api, run(api, "restart", {"state": ["FAILED"]})) == [4, 22]
        assert states(hub) == expected_states(hub, m4="PARTLY_FAILED", m22="PARTLY_FAILED")
        assert changed_columns(hub) == {key: {"state", "last_update_timestamp"} for key in (4, 22)}

    def test_restart_from_scratch(self, hub, api):
        run(api, "restart", {"state": ["FAILED", "CANCEL"]}, total=True)
        assert calls(hub) == {*(100 + msg_id for msg_id in (1, 2, 3, 6, 7, 8, 9, 10)), 120}

    def test_a_dry_run_changes_nothing(self, hub, api, kept):
        body = {"kind": "restart", "filter": {"state": ["FAILED"]}, "reason": WHY, "dry_run": True}
        job_id = api.post("jobs/", body).json()["job_id"]
        planned = eventually(
            lambda: (job := api.get(f"jobs/{job_id}/").json())["state"] == "planned" and job, 120.0
        )
        assert planned["report"]["planned"] == 2
        assert digests() == kept

    @pytest.mark.parametrize("to", ["tables", "parquet"])
    def test_archive_and_its_undo(self, hub, api, kept, to):
        if to == "tables" and "without archive" in hub.layout:
            body = {"kind": "archive", "options": {"to": to}, "reason": WHY}
            answer = api.post("jobs/", body)
            assert (answer.status_code, answer.json()["code"]) == (403, "not_attached_for_this")
            assert "archive to Parquet" in answer.json()["detail"]
            return
        job = run(api, "archive", to=to)
        assert done_by(api, job) == ARCHIVED
        assert set(states(hub)) == set(expected_states(hub)) - set(ARCHIVED)
        assert ids(api, "archived=true") == ARCHIVED
        assert api.get("messages/4/").json()["archived"] is True
        assert api.get("messages/4/payload/").json()["content"] == '<customer id="4"/>'
        undo(api, job)
        assert digests() == kept

    def test_restore_archived_messages(self, hub, api):
        run(api, "archive", to="parquet")
        restored = run(api, "restore", {"msg_id": [4, 5], "archived": "true"})
        assert done_by(api, restored) == [4, 5]
        assert set(states(hub)) == set(expected_states(hub)) - set(ARCHIVED) | {4, 5}
        rest = run(api, "restore", {"state": ["OK", "CANCEL", "FAILED"], "archived": "true"})
        assert done_by(api, rest) == [2, 20, 21, 22]
        assert states(hub) == expected_states(hub)
        assert calls(hub) == {*(100 + msg_id for msg_id in range(1, 11)), 120}
        # All except the request and the response of no message, which only an undo restores.
        assert {key for (key,) in hub.run("SELECT req_id FROM {hub}.request")} == set(range(201, 211))
        responses = {key for (key,) in hub.run("SELECT res_id FROM {hub}.response")}
        assert responses == {*range(301, 311), 320, 399}
        assert changed_columns(hub) == {}

    def test_export_rows_without_changing_any(self, hub, api, kept):
        job = run(api, "export", {"state": ["OK", "FAILED"]}, format="csv")
        answer = api.get(f"jobs/{job['job_id']}/download/")
        text = b"".join(answer.streaming_content).decode("utf-8-sig")
        rows = {int(row["msg_id"]): row for row in csv.DictReader(io.StringIO(text))}
        assert sorted(rows) == [2, 4, 9, 20, 22]
        assert (rows[4]["service_name"], rows[4]["state"]) == ("CUSTOMER", "FAILED")
        assert rows[4]["receive_timestamp"].startswith("2024-07-01T14:00:00")
        assert digests() == kept

    def test_group_failures(self, hub, api, kept):
        # The triggers recorded 4 and 22 when earlier tests put them back. The job is for what they did not.
        hub.run("DELETE FROM new_failure")
        run(api, "group_failures")
        groups = hub.run("SELECT group_id, msg_id FROM failure_member ORDER BY msg_id")
        assert [msg_id for _, msg_id in groups] == [4, 22]
        assert [ids(api, f"failure_group={group_id}") for group_id, _ in groups] == [[4], [22]]
        assert api.get(f"failure-groups/{groups[0][0]}/").json()["failed_error_code"] == "E106"
        assert digests() == kept

    def test_kinds_of_the_message_store_do_not_change_the_hub(self, hub, api, kept):
        define()
        identifier = store_message()
        set_process(identifier, status=20)
        assert run(api, "reprocess", {"status": [20]})["done"] == 1
        run(api, "archive_history")
        assert digests() == kept


class TestFiguresAndAlerts:
    def test_counts_are_those_of_the_hub(self, hub, api):
        call_command("rebuild_counts", stdout=io.StringIO())
        found = hub.run("SELECT state, sum(present) FROM message_rollup GROUP BY 1 HAVING sum(present) <> 0")
        assert dict(found) == dict(hub.run("SELECT state, count(*) FROM {hub}.message GROUP BY 1"))
        assert api.get("dashboard/").status_code == 200

    def test_an_alert_counts_the_messages_of_the_hub(self, hub, api):
        rule = {"name": "Failed", "measure": "present", "state": "FAILED", "limit": 1}
        answer = api.post("watch-rules/", rule)
        assert answer.status_code == 201, answer.content
        call_command("rebuild_counts", stdout=io.StringIO())
        check_rules()
        found = [one for one in api.get("alerts/").json()["results"] if one["rule_name"] == "Failed"]
        assert [one["value"] for one in found] == [2]


class TestMasking:
    def test_hides_values_of_payloads_from_support(self, hub, api):
        masked = caller("support", username="sam").get("messages/4/payload/").json()
        assert masked["masked"] is True
        assert '"4"' not in masked["content"]
        assert api.get("messages/4/payload/").json()["content"] == '<customer id="4"/>'
        newest = api.get("audit/?action=view_payload").json()["results"][0]
        assert (newest["actor"], newest["msg_id"]) == ("grace", 4)


class TestErase:
    """The last one: its messages are gone."""

    @pytest.mark.usefixtures("spark_remote")
    def test_removes_a_subject_from_the_hub_and_both_archives_and_nothing_else(self, hub, api):
        subject, others = "C-4711", sorted({*expected_states(hub)} - {2, 4, 5})
        for state in ("CANCEL", "OK"):  # which the triggers record
            hub.run("UPDATE {hub}.message SET state = %s WHERE msg_id = 2", state)
        hub.run("UPDATE {hub}.message SET object_id = %s WHERE msg_id IN (2, 4, 5)", subject)
        before = digests(without_messages=[2, 4, 5])
        to_tables = "parquet" if "without archive" in hub.layout else "tables"
        assert done_by(api, run(api, "archive", {"msg_id": [2]}, to="parquet")) == [2]
        assert done_by(api, run(api, "archive", {"msg_id": [5]}, to=to_tables)) == [5]
        assert ids(api, f"object_id={subject}&archived=any") == [2, 4, 5]
        printed = io.StringIO()
        call_command("erase_subject", subject, reason="asked by letter", yes=True, json=True, stdout=printed)
        (found,) = json.loads(printed.getvalue())["subjects"]
        assert (found["left"], found["found_again"]) == ([], {})
        assert ids(api, "archived=any") == others
        for msg_id in (2, 4, 5):
            assert api.get(f"messages/{msg_id}/").status_code == 404
        assert digests(without_messages=[2, 4, 5]) == before
        of_hub = {table: found for table, found in digests().items() if not table.startswith("kept.")}
        assert of_hub.items() <= before.items()
        assert hub.run("SELECT msg_id FROM message_event WHERE msg_id IN (2, 4, 5)") == []
        if hub.layout == "OpenHub 2.3":
            assert hub.run("SELECT msg_id FROM archive_extra") == []
        newest = api.get("audit/?action=erase_subject").json()["results"][0]
        assert (newest["reason"], subject in str(newest)) == ("asked by letter", False)
