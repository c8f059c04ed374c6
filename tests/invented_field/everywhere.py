"""Find the invented column wherever messages are shown, read and moved. Only test_fields.py runs it."""

import csv
import json
import re
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from drf_spectacular.generators import SchemaGenerator

from messages_app.messages import selectors
from messages_app.messages.listing import table_settings
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.models import ColdMessage
from tests.support import jobs
from tests.support.api_client import ApiClient
from tests.support.cold import old_message, to_parquet
from tests.support.exports import file_of
from tests.support.factories import make_message, make_user
from tests.support.page_client import client_of, text_of

TABLES = ("message", "archive_message", "cold_message")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Give the tables the column, as a hub and its migration would."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} ADD COLUMN tenant_id varchar(20)")


@pytest.fixture
def acme() -> Message:
    make_message(tenant_id="other")
    return make_message(tenant_id="acme")


def ids(results: list[dict[str, object]]) -> list[object]:
    return [row["msg_id"] for row in results]


@pytest.mark.django_db
class TestInventedField:
    def test_is_a_column_of_the_list_for_users_who_choose_it(self, acme):
        client = client_of("support", username="eve")
        assert '<td class="c-rows-tenant"' not in text_of(client.get("/messages/"))
        eve = get_user_model().objects.get(username="eve")
        table_settings.keep_table(user=eve, columns=["tenant"])
        page = text_of(client.get("/messages/"))
        assert re.search('<td class="c-rows-tenant" data-label="Tenant" *> ?acme ?</td>', page)

    def test_filters_the_page_and_is_a_term_of_its_query_line(self, acme):
        page = text_of(client_of("support").get("/messages/?tenant_id=acme"))
        assert f'href="/messages/{acme.pk}/' in page
        assert page.count("<tr data-row=") == 1
        assert 'name="q" value="tenant:acme"' in page

    def test_filters_the_api_and_is_in_its_records(self, acme):
        client = ApiClient(make_user("support"))
        listed = client.get("messages/?tenant_id=acme").json()["results"]
        assert [(row["msg_id"], row["tenant_id"]) for row in listed] == [(acme.pk, "acme")]
        assert client.get(f"messages/{acme.pk}/").json()["tenant_id"] == "acme"
        too_long = client.get(f"messages/?tenant_id={'a' * 21}").json()
        assert [error["field"] for error in too_long["errors"]] == ["tenant_id"]

    def test_is_in_the_description_of_the_api(self):
        listing = SchemaGenerator().get_schema(public=True)["paths"]["/api/v1/messages/"]["get"]["parameters"]
        assert {"type": "string", "minLength": 1, "maxLength": 20} in [
            one["schema"] for one in listing if one["name"] == "tenant_id"
        ]

    def test_is_a_key_of_the_query_line_that_suggests_its_values(self, acme):
        client = client_of("support")
        answer = client.get("/messages/", {"q": "tenant:acme"})
        assert answer.headers["Location"] == "/messages/?tenant_id=acme"
        options = text_of(client.get("/messages/suggest/", {"q": "tenant:ac", "at": "9"}))
        assert re.findall(r"<code\s*>(.*?)</code>", options) == ["acme"]

    def test_is_in_the_panel_of_the_message(self, acme):
        page = text_of(client_of("support").get(f"/messages/{acme.pk}/"))
        assert "tenant_id" in page
        assert "acme" in page

    def test_is_loaded_from_a_file(self, tmp_path):
        row = {
            "correlation_id": "c-1",
            "source_system": "crm",
            "service_name": "customer",
            "operation_name": "createCustomer",
            "payload": "<a/>",
            "msg_timestamp": "2026-10-31T08:00:00+02:00",
            "tenant_id": "acme",
        }
        file = tmp_path / "messages.jsonl"
        file.write_text(json.dumps(row))
        call_command("load_messages", str(file), stdout=StringIO())
        assert Message.objects.get(correlation_id="c-1").tenant_id == "acme"

    def test_is_in_the_list_as_a_file(self, acme):
        answer = client_of("support").get("/messages/export/?tenant_id=acme&format=csv")
        rows = list(csv.DictReader(StringIO(answer.getvalue().decode("utf-8-sig"))))
        assert [row["tenant_id"] for row in rows] == ["acme"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spark_remote")
@pytest.mark.slow
class TestJobs:
    def test_choose_by_it_and_export_it(self, acme):
        job = jobs.run("export", {"tenant_id": "acme"}, format="csv").job
        with file_of(job).open(newline="", encoding="utf-8-sig") as file:
            assert [row["tenant_id"] for row in csv.DictReader(file)] == ["acme"]

    def test_move_it_to_the_archive_and_back(self):
        msg_id = old_message(tenant_id="acme").pk
        jobs.run("archive", {})
        assert ArchiveMessage.objects.get(pk=msg_id).tenant_id == "acme"
        jobs.run("restore", {"archived": "true", "tenant_id": "acme"})
        assert Message.objects.get(pk=msg_id).tenant_id == "acme"

    def test_write_it_to_parquet_where_the_list_finds_it(self):
        msg_id = old_message(tenant_id="acme").pk
        to_parquet()
        assert ColdMessage.objects.get(pk=msg_id).tenant_id == "acme"
        assert selectors.get_message(msg_id)[0].tenant_id == "acme"
        found = ApiClient(make_user("support")).get("messages/?archived=true&tenant_id=acme").json()
        assert ids(found["results"]) == [msg_id]
        jobs.run("restore", {"archived": "true", "tenant_id": "acme"})
        assert Message.objects.get(pk=msg_id).tenant_id == "acme"
