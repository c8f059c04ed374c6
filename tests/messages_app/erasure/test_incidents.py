import pytest
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.incidents.deployments.models import Deployment
from messages_app.incidents.models import (
    FailureCell,
    FailureItem,
    Incident,
    IncidentDecision,
)
from messages_app.notes.models import Note
from tests.messages_app.erasure.runs import dry_run, run, run_beside
from tests.messages_app.erasure.test_message_store import TEXT_ID, processed
from tests.messages_app.incidents.small_outages import fail_messages, gather, restart_messages, start_counting
from tests.support import stores
from tests.support.factories import NOON
from tests.support.subjects import KEY, OTHER, changed_since, holding, rows_without

pytestmark = pytest.mark.django_db(transaction=True)


def make_incident(key: str = KEY, **columns: object) -> Incident:
    times = {"began_at": NOON, "last_failure_at": NOON}
    return Incident.objects.create(**times | {"title": f"billing: No address of {key}"} | columns)


def make_cell(key: str = "a hash", **columns: str) -> FailureCell:
    values = {"store": "messages", "service_name": "billing", "operation_name": "x", "source_system": "CRM"}
    seen = {"first_seen": NOON, "last_seen": NOON, "cause": f"no address of {key}"}
    return FailureCell.objects.create(fingerprint=key, **values | seen | columns)


class TestEraseIncidents:
    def test_replaces_the_key_in_titles_causes_reasons_and_notes(self):
        for key in (KEY, OTHER):
            incident = make_incident(key)
            Note.objects.create(kind="incident", subject=incident.pk, author="ada", text=f"call {key}.")
            make_cell(key)
            names = {"incident_id": incident.pk, "other_id": 0, "decided_by": "ada"}
            IncidentDecision.objects.create(decision="apart", reason=f"{key} is another customer", **names)
            noted = {"version": "1", "at": database_clock(), "noted_by": "ci"}
            Deployment.objects.create(service_name=f"s{len(key)}", note=f"for {key}", **noted)
        before = rows_without(KEY)
        FailureCell.objects.filter(cause__contains=KEY).update(fingerprint="a hash")
        run()
        mine = Incident.objects.order_by("pk").first()
        assert mine.title == "billing: No address of [erased]"
        assert Note.objects.order_by("pk").first().text == "call [erased]."
        assert FailureCell.objects.order_by("pk").first().cause == "no address of [erased]"
        assert IncidentDecision.objects.order_by("pk").first().reason == "[erased] is another customer"
        assert Deployment.objects.order_by("pk").first().note == "for [erased]"
        assert holding(KEY) == {}
        assert not any(gone for gone, _ in changed_since(before, KEY).values())

    def test_replaces_the_words_of_the_key_in_what_the_failures_have_in_common(self):
        make_cell(KEY)
        incident = make_incident("someone", key_text="no address of lovelace")
        other = make_incident("someone", key_text="no address of babbage")
        run()
        incident.refresh_from_db(), other.refresh_from_db()
        assert incident.key_text == "no address of erased"
        assert other.key_text == "no address of babbage"

    def test_replaces_words_of_the_key_that_are_cut_off_in_what_the_failures_have_in_common(self):
        make_cell(cause="customer without the address ada lovelace, 12")
        incident = make_incident("someone", key_text="customer without the address ada")
        run("ada lovelace")
        incident.refresh_from_db()
        assert incident.key_text == "customer without the address erased"

    def test_leaves_what_failures_have_in_common_as_it_is_for_a_key_without_words(self):
        make_cell("471199")
        incident = make_incident("471199", external_system="471199.example", key_text="no address of")
        run("471199")
        incident.refresh_from_db()
        assert (incident.title, incident.key_text) == (
            "billing: No address of [erased]",
            "no address of erased",
        )
        assert incident.external_system == "[erased].example"

    def test_finds_the_key_at_the_beginning_of_a_title_with_a_capital_letter(self):
        incident = make_incident(title="billing: Ada lovelace has no address")
        run("ada lovelace")
        incident.refresh_from_db()
        assert incident.title == "billing: [erased] has no address"

    def test_finds_a_host_that_the_key_names_in_lower_case(self):
        incident = make_incident("someone", external_system="c-4711-lovelace.example")
        cell = make_cell("someone", external_system="c-4711-lovelace.example")
        run()
        incident.refresh_from_db(), cell.refresh_from_db()
        assert (incident.external_system, cell.external_system) == ("[erased].example", "[erased].example")

    def test_replaces_the_key_in_senders(self):
        incident = make_incident("someone", key_sender=KEY)
        cell = make_cell("someone", source_system=KEY)
        run()
        incident.refresh_from_db(), cell.refresh_from_db()
        assert (incident.key_sender, cell.source_system) == ("[erased]", "[erased]")

    def test_keeps_the_names_of_users(self):
        users = {"owner": "lovelace", "acknowledged_by": "lovelace", "closed_by": "lovelace"}
        incident = make_incident("lovelace", **users)
        run("lovelace")
        incident.refresh_from_db()
        assert incident.title == "billing: No address of [erased]"
        assert {name: getattr(incident, name) for name in users} == users

    def test_cuts_a_title_that_becomes_longer(self):
        incident = make_incident(title=f"billing: {'x' * 186} abcd")
        run("abcd")
        incident.refresh_from_db()
        assert incident.title == f"billing: {'x' * 186} [era"

    def test_replaces_the_key_in_the_incident_of_real_failures(self):
        start_counting()
        fail_messages(8, "no address of lovelace in the register")
        gather()
        restart_messages()
        incident = Incident.objects.get()
        assert incident.title == "billing: No address of lovelace in the register"
        found = dry_run("lovelace").rows
        assert (found["incident"], found["failure_cell"]) == (1, 1)
        run("lovelace")
        incident.refresh_from_db()
        assert incident.title == "billing: No address of [erased] in the register"
        assert incident.key_text == "no address of erased in"
        assert not {"incident", "failure_cell"} & set(holding("lovelace"))

    def test_reads_every_part_of_a_table(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO deployment (service_name, version, at, note, noted_by, noted_at)"
                " SELECT 'a', n::text, now(), '', 'ci', now() FROM generate_series(1, 12000) AS n"
            )
        noted = {"at": database_clock(), "noted_by": "ci", "note": KEY}
        last = Deployment.objects.create(service_name="b", version="1", **noted)
        assert run().rows == {"deployment": 1}
        last.refresh_from_db()
        assert last.note == "[erased]"

    def test_names_an_incident_whose_note_is_being_changed_and_keeps_its_cause(self):
        incident = make_incident("someone", key_text="no address of lovelace")
        cell = make_cell(KEY)
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT FROM incident FOR UPDATE")
            running = run_beside()
            left = running.result(60).left
            cursor.execute("ROLLBACK")
        why = "an incident with its words has changed: run this again"
        assert left == [
            ("failure_cell", str(cell.pk), why),
            ("incident", str(incident.pk), "it has changed: run this again"),
        ]
        run()
        incident.refresh_from_db(), cell.refresh_from_db()
        assert (incident.key_text, cell.cause) == ("no address of erased", "no address of [erased]")


class TestForgetItems:
    def test_deletes_the_counted_failures_of_messages_of_the_store(self):
        stores.define(json_schema=TEXT_ID)
        mine, theirs = processed(KEY), processed(OTHER)
        for store, key in (("message_store", mine), ("message_store", theirs), ("cp_queue", mine)):
            FailureItem.objects.create(store=store, item_key=key, cell_id=7, at=NOON)
        assert run().rows["failure_item"] == 1
        left = FailureItem.objects.order_by("store").values_list("store", "item_key")
        assert list(left) == [("cp_queue", mine), ("message_store", theirs)]
