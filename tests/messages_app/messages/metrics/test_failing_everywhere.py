"""The number of failing messages is the same on every page, in every answer and in every metric."""

import re
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client

from messages_app.core.clock import database_clock
from messages_app.incidents.models import Incident
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.metrics.failing import _has_hub_index
from messages_app.messages.metrics.tasks import fold_counts
from messages_app.messages.models import Message
from tests.messages_app.incident_pages.outage import make_outage
from tests.support.api_client import ApiClient
from tests.support.attached import AttachedHub, attached_hub
from tests.support.factories import make_message, make_user
from tests.support.jobs import run
from tests.support.page_client import text_of

NUMBER_ON_PAGE = re.compile(r"data-failing-now[^>]*>([^<]*)<")
_RESTART = re.compile(r"Restart\s+(\d+) messages?…")
INSERT = """
INSERT INTO {hub}.message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service, source_system,
                           state, operation_name, payload, failed_count, failed_desc)
SELECT id, 'failed-' || id, now(), now(), 'CUSTOMER', 'CRM', 'FAILED', 'setCustomer', '<a/>', 0, 'timed out'
  FROM generate_series(901, 905) AS id
"""
SQL = "SELECT count(*) FROM message WHERE state = 'FAILED'"


class Reader:
    """A user who reads all pages, answers and metrics."""

    def __init__(self) -> None:
        user = make_user(username="ada", is_superuser=True)
        self.pages = Client()
        self.pages.force_login(user)
        self.api = ApiClient(user)

    def page(self, path: str) -> str:
        response = self.pages.get(path)
        assert response.status_code == 200, path
        return text_of(response)

    def answer(self, path: str) -> dict:
        response = self.api.get(path)
        assert response.status_code == 200, (path, response.content)
        return response.json()


def numbers_of(page: str) -> set[int]:
    """Return the numbers of failing messages on a page: in its menu, and wherever else they are."""
    return {int(text) for text in NUMBER_ON_PAGE.findall(page)}


def shown_numbers(reader: Reader) -> dict[str, set[int]]:
    """Return the number of all failing messages in each place."""
    overview, groups = reader.page("/"), reader.answer("failure-groups/")
    stats = reader.answer("stats/")
    [total] = (one["count"] for one in stats["totals"] if one["state"] == "FAILED")
    [tile] = (one["content"] for one in reader.answer("dashboard/")["tiles"] if one["name"] == "failing")
    metrics = reader.api.client.get("/metrics", headers=reader.api.headers).content.decode()
    return {
        "overview": numbers_of(overview),
        "failures": numbers_of(reader.page("/failures/")),
        "messages: list and tab": numbers_of(reader.page("/messages/?state=FAILED")),
        "all messages: tab": numbers_of(reader.page("/messages/")),
        "open pages": numbers_of(reader.page("/failures/now/?total=1")),
        "API dashboard": {tile["failing_now"]},
        "API stats": {stats["failing_now"], total},
        "API failure-groups": {groups["failing_now"]},
        "API count": {reader.answer("messages/count/?state=FAILED")["count"]},
        "metrics": {
            int(number)
            for number in re.findall(
                r'^hubconsole_(?:failing_messages|messages\{state="FAILED"\}) (\d+)$', metrics, re.MULTILINE
            )
        },
    }


def shown_numbers_of_group(reader: Reader, group: FailureGroup) -> dict[str, set[int]]:
    """Return the number of failing messages of one group in each place."""
    number_of_group = re.compile(rf'data-failing-group="{group.pk}"[^>]*>([^<]*)<')
    page = reader.page(f"/failures/{group.pk}/")
    [line] = (
        one for one in reader.answer("failure-groups/")["results"] if one["group"]["group_id"] == group.pk
    )
    return {
        "failures": set(map(int, number_of_group.findall(reader.page("/failures/?show=all")))),
        "group": set(map(int, number_of_group.findall(page))),
        "open pages": set(map(int, number_of_group.findall(reader.page(f"/failures/now/?group={group.pk}")))),
        "API list": {line["failing_now"]},
        "API group": {reader.answer(f"failure-groups/{group.pk}/")["failing_now"]},
        "API count": {reader.answer(f"messages/count/?state=FAILED&failure_group={group.pk}")["count"]},
    }


def shown_numbers_of_incident(reader: Reader, incident: Incident) -> dict[str, set[int]]:
    """Return the number of failing messages of one incident in each place."""
    link = re.compile(rf'incident={incident.pk}&amp;state=FAILED"\s*>(\d+)\s*(?:messages?\s*)?</a>')
    filters = f"?state=FAILED&incident={incident.pk}"
    return {
        "overview": set(map(int, link.findall(reader.page("/")))),
        "incidents": set(map(int, link.findall(reader.page("/incidents/")))),
        "incident": set(map(int, link.findall(reader.page(f"/incidents/{incident.pk}/")))),
        "restart button": set(map(int, _RESTART.findall(reader.page(f"/incidents/{incident.pk}/")))),
        "API list": {one["failing_now"] for one in reader.answer("incidents/")["results"]},
        "API incident": {reader.answer(f"incidents/{incident.pk}/")["failing_now"]},
        "API count": {reader.answer(f"messages/count/{filters}")["count"]},
        "API messages": {len(reader.answer(f"messages/{filters}")["results"])},
    }


def failed_in_database() -> int:
    with connection.cursor() as cursor:
        cursor.execute(SQL)
        return cursor.fetchone()[0]


def check_everywhere(reader: Reader, number: int) -> None:
    cache.clear()  # A tile that was slow to read is kept for a second.
    assert failed_in_database() == number
    found = shown_numbers(reader)
    assert found == {place: {number} for place in found}


def check_group_everywhere(reader: Reader, group: FailureGroup, number: int) -> None:
    found = shown_numbers_of_group(reader, group)
    assert found == {place: {number} for place in found}


@pytest.fixture(autouse=True)
def fresh_tiles() -> Iterator[None]:
    """Forget tiles that were slow to read in another test."""
    cache.clear()
    _has_hub_index.cache_clear()
    yield
    cache.clear()


class TestOwnTables:
    @pytest.mark.django_db(transaction=True)
    @pytest.mark.usefixtures("spark_remote")
    def test_a_job_that_restarts_a_group_is_shown_everywhere(self):
        for text in ("timed out", "timed out", "timed out", "refused"):
            make_message(state="FAILED", failed_desc=text, receive_timestamp=database_clock())
        make_message(state="PARTLY_FAILED", failed_desc="refused")
        group_new_failures()
        make_message(state="FAILED", failed_desc="not grouped yet")
        reader = Reader()
        group = FailureGroup.objects.get(summary="timed out")
        other = FailureGroup.objects.get(summary="refused")

        check_everywhere(reader, 5)
        check_group_everywhere(reader, group, 3)
        assert "<strong>New here?</strong> 3 messages in billing" in reader.page("/")
        assert "Restart 3 failed messages…" in reader.page(f"/failures/{group.pk}/")
        assert reader.answer("failure-groups/")["ungrouped"] == 1

        run("restart", {"state": ["FAILED"], "failure_group": group.pk})

        check_everywhere(reader, 2)
        check_group_everywhere(reader, group, 0)
        check_group_everywhere(reader, other, 1)
        assert "<strong>New here?</strong> 1 message in billing" in reader.page("/")
        assert "Restart 3 failed messages…" not in reader.page(f"/failures/{group.pk}/")


class TestIncident:
    @pytest.mark.django_db
    def test_has_one_number_before_and_after_a_part_of_it_is_repaired(self):
        incident = make_outage(count=9, services=("billing", "order"))
        reader = Reader()
        for number, repaired in ((18, "billing"), (9, "")):
            check_everywhere(reader, number)
            found = shown_numbers_of_incident(reader, incident)
            assert found == {place: {number} for place in found}
            Message.objects.filter(service_name=repaired).update(state="OK")


class TestAttachedHub:
    @pytest.fixture(params=["--create-triggers", ""], ids=["with triggers", "polled"])
    def hub(self, request, transactional_db) -> Iterator[AttachedHub]:
        with attached_hub("CleverBus 2.0", *filter(None, [request.param])) as attached:
            fold_counts()  # The first poll takes what it finds as old.
            attached.run(INSERT)
            fold_counts()
            group_new_failures()
            yield attached

    def test_single_restarts_are_shown_everywhere(self, hub: AttachedHub):
        reader, before = Reader(), failed_in_database()
        group = FailureGroup.objects.get(service_name="CUSTOMER")
        check_everywhere(reader, before)
        check_group_everywhere(reader, group, 5)

        for msg_id in (901, 902, 903):
            answer = reader.api.post(f"messages/{msg_id}/restart/", {"reason": "the target is back"})
            assert answer.status_code == 200, answer.content

        check_everywhere(reader, before - 3)
        check_group_everywhere(reader, group, 2)

    @pytest.mark.parametrize("hub", [""], ids=["polled"], indirect=True)
    def test_a_number_without_an_index_on_the_state_has_the_time_of_its_counts(self, hub: AttachedHub):
        hub.run("DROP INDEX {hub}.msg_state_idx")
        _has_hub_index.cache_clear()
        reader, before = Reader(), failed_in_database()
        check_everywhere(reader, before)
        assert "as of the last poll" in reader.page("/failures/")
        assert reader.answer("failure-groups/")["as_of"]

        hub.run("UPDATE {hub}.message SET state = 'OK' WHERE msg_id IN (901, 902)")
        fold_counts()
        check_everywhere(reader, before - 2)
