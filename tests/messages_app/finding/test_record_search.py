"""Incidents are found by their words, and business keys by value or beginning."""

import re

import pytest
from django.contrib.auth.models import User

from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.finding import record_search
from messages_app.finding.record_search import find_incidents, find_keys
from messages_app.finding.search_sources import search_everything
from messages_app.incidents.models import Incident
from messages_app.shared.key_extraction import MAX_VALUE
from tests.support.factories import NOON, make_message, make_user
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def support() -> User:
    return make_user("support")


def make_incident(title: str, **columns: object) -> Incident:
    return Incident.objects.create(title=title, began_at=NOON, last_failure_at=NOON, **columns)


def make_key(value: str, *, sensitive: bool = False, name: str = "order", part: int = 1) -> None:
    message = make_message(correlation_id=f"{name}-{value[:50]}-{part}")
    definition, _ = KeyDefinition.objects.get_or_create(
        service_name="s", operation_name="o", name=name, path="//id", sensitive=sensitive
    )
    BusinessKey.objects.create(
        definition_id=definition.pk,
        value=value,
        msg_id=message.pk,
        receive_timestamp=message.receive_timestamp,
    )


class TestFindIncidents:
    def test_finds_open_ones_first_by_title_system_and_service(self, support):
        opened = make_incident("No answer", external_system="pay.bank.example", services=["billing"])
        closed = make_incident("pay.bank.example was down", state="closed")
        (kind,) = find_incidents("bank", support)
        assert [(hit.url, hit.name, hit.about) for hit in kind.hits] == [
            (f"/incidents/{opened.pk}/", "No answer", "open · billing"),
            (f"/incidents/{closed.pk}/", "pay.bank.example was down", "closed"),
        ]
        assert [hit.name for kind in find_incidents("billing", support) for hit in kind.hits] == ["No answer"]
        assert [*find_incidents("nothing", support)] == []

    def test_finds_one_by_number_and_leaves_out_merged_ones(self, support):
        incident = make_incident("No answer")
        merged = make_incident("No answer", merged_into=incident.pk)
        (kind,) = find_incidents(str(incident.pk), support)
        assert [hit.url for hit in kind.hits] == [f"/incidents/{incident.pk}/"]
        assert [*find_incidents(str(merged.pk), support)] == []

    def test_reads_only_the_newest(self, support, monkeypatch):
        monkeypatch.setattr(record_search, "MAX_SEARCHED_INCIDENTS", 1)
        make_incident("bank")
        make_incident("crm")
        assert [*find_incidents("bank", support)] == []


class TestFindKeys:
    def test_finds_values_whole_and_by_their_beginning(self, support):
        for value in ("N0047", "N00471", "N0048"):
            make_key(value)
        make_key("N0047", name="customer")
        (kind,) = find_keys("N0047", support)
        assert sorted((hit.name, hit.about, hit.url) for hit in kind.hits) == [
            ("N0047", "customer · 1 message", "/keys/N0047/"),
            ("N0047", "order · 1 message", "/keys/N0047/"),
            ("N00471", "order · 1 message", "/keys/N00471/"),
        ]

    def test_are_not_shown_again_as_ids(self, support):
        make_key("N00471")
        make_message(object_id="N00471"), make_message(object_id="N00479", process_id="N00471")
        kinds = search_everything("N0047", support).kinds
        assert [(kind.name, [hit.name for hit in kind.hits]) for kind in kinds] == [
            ("key", ["N00471"]),
            ("object_id", ["N00479"]),
        ]

    def test_a_key_of_the_greatest_length_is_found(self, support):
        value = "N" * MAX_VALUE
        make_key(value)
        kinds = search_everything(value, support).kinds
        assert [(kind.name, hit.name) for kind in kinds for hit in kind.hits] == [("key", value)]

    @pytest.mark.parametrize("box", ["find-id", "palette-id"])
    def test_a_key_of_the_greatest_length_fits_into_both_boxes(self, box):
        page = client_of("support").get("/messages/").content.decode()
        (tag,) = re.findall(rf'<input id="{box}"[^>]*>', page)
        assert f'maxlength="{MAX_VALUE}"' in tag

    def test_shows_sensitive_keys_only_with_the_permission_for_payloads(self, support):
        make_key("N0047", sensitive=True)
        assert [*find_keys("N0047", support)] == []
        (kind,) = find_keys("N0047", make_user("support", "view_payload", username="grace"))
        assert [hit.name for hit in kind.hits] == ["N0047"]

    def test_counts_each_message_of_a_value_once(self, support):
        make_key("N0047", part=1)
        make_key("N0047", part=2)
        (kind,) = find_keys("N0047", support)
        assert [(hit.name, hit.about) for hit in kind.hits] == [("N0047", "order · 2 messages")]

    def test_says_that_there_may_be_more_messages_than_it_reads(self, support):
        for part in range(201):
            make_key("N0047", part=part)
        (kind,) = find_keys("N0047", support)
        assert [(hit.name, hit.about) for hit in kind.hits] == [("N0047", "order · at least 201 messages")]

    def test_shows_the_whole_value_first_and_five_values_at_most(self, support):
        for number in (47, 471, 472, 473, 474, 475):
            make_key(f"N00{number}")
        (kind,) = find_keys("N0047", support)
        assert [hit.name for hit in kind.hits] == ["N0047", "N00471", "N00472", "N00473", "N00474"]
        assert kind.more

    def test_takes_wildcards_as_characters(self, support):
        make_key("N%_7")
        make_key("N0047")
        (kind,) = find_keys("N%_", support)
        assert [hit.name for hit in kind.hits] == ["N%_7"]

    @pytest.mark.parametrize("text", ["", "N0", "other"])
    def test_finds_nothing_otherwise(self, support, text):
        make_key("N0047")
        assert [*find_keys(text, support)] == []


def test_both_are_in_the_search_of_every_page(support):
    make_incident("N0047 fails")
    make_key("N0047")
    assert [kind.name for kind in search_everything("N0047", support).others][:2] == ["key", "incident"]
