"""The oracle itself: it must see each wrong that it is there to see, and nothing else."""

import pytest
from django.db import connection

from messages_app.jobs.models import Job
from tests.support import factories
from tests.support.hub import Changes
from tests.support.ledgers import store_ledger
from tests.support.oracle import Oracle, places

pytestmark = pytest.mark.django_db(transaction=True)


def run(statement: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def archive(msg_id: int) -> None:
    run("INSERT INTO archive_message SELECT * FROM message WHERE msg_id = %s", msg_id)


def make_job(kind: str, state: str = "done", **columns: object) -> Job:
    return Job.objects.create(kind=kind, state=state, created_by="ana", reason="test", **columns)


class TestVerdict:
    def test_is_clean_when_nothing_happened(self):
        factories.make_response(factories.make_request(factories.make_message(state="OK")))

        assert Oracle().verdict().is_clean

    def test_is_clean_when_a_row_was_archived_unchanged(self):
        message = factories.make_message(state="OK")
        oracle = Oracle()

        archive(message.pk)
        run("DELETE FROM message")

        assert oracle.verdict().is_clean
        assert places("message") == (set(), {message.pk})

    def test_finds_a_lost_row(self):
        message = factories.make_message()
        oracle = Oracle()

        run("DELETE FROM message")

        assert oracle.verdict().lost == [("message", message.pk)]

    def test_finds_a_row_in_both_places(self):
        message = factories.make_message(state="OK")
        oracle = Oracle()

        archive(message.pk)

        assert oracle.verdict().doubled == [("message", message.pk)]

    def test_finds_an_unexpected_row(self):
        oracle = Oracle()

        message = factories.make_message()

        assert oracle.verdict().unexpected == [("message", message.pk)]

    def test_finds_a_difference_of_one_microsecond(self):
        message = factories.make_message()
        oracle = Oracle()

        run("UPDATE message SET receive_timestamp = receive_timestamp + interval '1 microsecond'")

        assert oracle.verdict().altered == [("message", message.pk)]

    def test_subtracts_what_a_live_hub_did(self):
        changed = factories.make_message()
        made = []
        oracle = Oracle(changes=lambda: Changes(inserted=set(made), changed={("message", changed.pk)}))

        run("UPDATE message SET state = 'PROCESSING'")
        made.append(("message", factories.make_message().pk))

        assert oracle.verdict().is_clean

    def test_finds_a_call_that_stayed_behind(self):
        message = factories.make_message(state="OK")
        request = factories.make_request(message)
        oracle = Oracle()

        run("INSERT INTO archive_request SELECT * FROM request")
        run("DELETE FROM request")

        assert oracle.verdict().torn == [("request without its message", request.pk)]

    def test_lets_a_job_change_the_state_and_nothing_else(self):
        message = factories.make_message(state="POSTPONED", msg_id=17)
        oracle = Oracle()
        store_ledger(make_job("cancel"), {17: "done"}, new_state="CANCEL")
        run("SELECT set_config('hubconsole.actor', 'ana', false)")
        run("UPDATE message SET state = 'CANCEL'")
        run("RESET hubconsole.actor")
        assert oracle.verdict().altered == []

        run("UPDATE message SET payload = ''")

        assert oracle.verdict().altered == [("message", message.pk)]


class TestWrongReports:
    def reports(self) -> set[str]:
        return {what for what, _, _ in Oracle().verdict().wrong_reports}

    def test_finds_a_change_that_only_the_ledger_has(self):
        factories.make_message(msg_id=17)
        store_ledger(make_job("cancel"), {17: "done"}, new_state="CANCEL")

        assert "changed more or less often than the ledger says" in self.reports()

    def test_finds_a_message_in_two_active_jobs(self):
        for _ in range(2):
            store_ledger(make_job("cancel", "running"), {17: None})

        assert self.reports() == {"in two active jobs"}

    def test_finds_an_item_without_outcome_and_a_wrong_sum(self):
        store_ledger(make_job("cancel"), {17: None})

        assert self.reports() == {
            "no outcome in a job that has ended",
            "planned is not done + skipped + failed",
        }

    def test_finds_a_change_without_its_audit_entry(self):
        factories.make_archived_message(msg_id=17)
        store_ledger(make_job("archive"), {17: "done"})

        assert self.reports() == {"zombie: done, not audited"}

    def test_finds_an_audit_entry_without_its_change(self):
        job = make_job("archive")
        run(
            "INSERT INTO audit_entry (actor, token_name, request_id, action, outcome, job_id, before_state,"
            " after_state, reason, details) VALUES ('ana', '', '', 'archive', 'done', %s, '', '', '',"
            """ '{"chunk_no": 0, "outcomes": {"done": 5}}')""",
            job.pk,
        )

        assert self.reports() == {"ghost: audited, not done"}

    def test_finds_a_message_that_was_moved_although_it_was_refused(self):
        factories.make_archived_message(msg_id=17)
        store_ledger(make_job("archive"), {17: "skipped:locked"})

        assert self.reports() == {"moved, but not by its ledger"}
