"""Two people change the same row: the later one is shown what differs, whatever the row is."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.core.edit_versions import EditConflict, check_version, digest_values
from messages_app.jobs.models import JobSchedule
from messages_app.messages.failures.models import ErrorCode, FailureGroup
from tests.messages_app.jobs.views.posted_schedules import post_schedule
from tests.messages_app.messages.alerts.rules import make_rule
from tests.messages_app.service_map.counted import count_calls
from tests.support.factories import NOON, make_user
from tests.support.histories import make_trigger
from tests.support.key_definitions import define_key
from tests.support.page_client import client_of, confirm_password, text_of
from tests.support.page_forms import read_form
from tests.support.stores import define
from tests.support.threads import in_threads


@dataclass(frozen=True, kw_only=True)
class Editable:
    """
    A row that people change on a page.

    Args:
        make: stores it, and returns the address of its form.
        field: the field that is changed; label: its label.
        values: the value of the earlier and of the later change.
        to: where the form is sent, below its address.
    """

    make: Callable[[Client], str]
    field: str
    label: str
    values: tuple[str, str] = ("early bird", "late bird")
    to: str = ""


def make_schedule(client: Client) -> str:
    post_schedule(client)
    return f"/schedules/{JobSchedule.objects.get().pk}/"


def make_code(client: Client) -> str:
    ErrorCode.objects.create(code="X1", description="first", action="")
    return "/error-codes/X1/"


def make_key(client: Client) -> str:
    define_key(1)
    return "/business-keys/1/"


def make_participant(client: Client) -> str:
    count_calls("billing", "bank.example", ok=9, failed=1, step=2)
    return "/systems/bank.example/targets/"


def make_group(client: Client) -> str:
    texts = {"service_name": "billing", "operation_name": "a", "summary": "b", "example": "b"}
    group = FailureGroup.objects.create(fingerprint="f", first_seen=NOON, last_seen=NOON, **texts)
    return f"/failures/{group.pk}/"


EDITABLES = {
    "schedule": Editable(
        make=make_schedule, field="older_than_months", label="Older than (months)", values=("5", "7")
    ),
    "watch rule": Editable(make=lambda client: f"/watch-rules/{make_rule().pk}/", field="name", label="Name"),
    "error code": Editable(make=make_code, field="description", label="Meaning"),
    "business key": Editable(make=make_key, field="name", label="Name"),
    "user": Editable(
        make=lambda client: f"/users/{make_user('support', username='eve').pk}/",
        field="last_name",
        label="Last name",
    ),
    "targets": Editable(make=make_participant, field="owner", label="Owner"),
    "failure group": Editable(make=make_group, field="owner", label="Owner", to="describe/"),
    "trigger": Editable(
        make=lambda client: f"/document-history/triggers/{make_trigger().pk}/", field="name", label="Name"
    ),
    "source definition": Editable(
        make=lambda client: f"/message-store/definitions/{define().pk}/",
        field="key_fields",
        label="Key fields",
        values=("early", "late"),
    ),
}


def open_form(client: Client, address: str) -> dict[str, object]:
    return read_form(client.get(address)) | {"reason": "asked by Eva"}


def admin_of(username: str) -> Client:
    client = client_of("admin", username=username)
    confirm_password(client)
    return client


def changes_of(answer: HttpResponse) -> list[tuple[str, str, str]]:
    return [(each.label, each.stored, each.typed) for each in answer.context["differences"]]


@pytest.mark.django_db
@pytest.mark.parametrize("name", EDITABLES)
class TestLaterChange:
    def test_is_refused_with_what_differs_and_replaces_it_only_when_sent_again(self, name):
        editable = EDITABLES[name]
        ada, bob = admin_of("ada"), admin_of("bob")
        address = editable.make(ada)
        early, late = editable.values
        mine, theirs = (open_form(client, address) for client in (ada, bob))
        to = address + editable.to
        assert ada.post(to, mine | {editable.field: early}).status_code == 302
        entries = AuditEntry.objects.count()
        answer = bob.post(to, theirs | {editable.field: late})
        assert answer.status_code == 409
        assert changes_of(answer) == [(editable.label, early, late)]
        text = text_of(answer)
        changed = r"<strong>ada</strong> changed this <time[^>]*>[^<]*</time>, after you opened\s+it\."
        assert re.search(changed, text), text
        assert f'href="{address}">discard yours' in text
        assert read_form(bob.get(address))[editable.field] == early
        assert AuditEntry.objects.count() == entries
        again = read_form(answer) | {"reason": "asked by Eva"}
        assert again[editable.field] == late
        assert bob.post(to, again).status_code == 302
        assert read_form(ada.get(address))[editable.field] == late

    def test_is_refused_without_a_version(self, name):
        editable, client = EDITABLES[name], admin_of("ada")
        address = editable.make(client)
        form = open_form(client, address)
        if name == "targets":  # Nothing is stored yet.
            client.post(address, form)
        form.pop("version")
        answer = client.post(address + editable.to, form | {editable.field: editable.values[0]})
        assert answer.status_code == 409


@pytest.mark.django_db(transaction=True)
class TestAtTheSameTime:
    @pytest.mark.parametrize("name", EDITABLES)
    def test_one_of_four_is_stored(self, name):
        editable = EDITABLES[name]
        clients = [admin_of(username) for username in ("ada", "bob", "cyd", "dan")]
        address = editable.make(clients[0])
        forms = [open_form(client, address) for client in clients]
        sent = [f"{editable.values[0]}{n}" if n else editable.values[0] for n in range(4)]
        if editable.values[0] == "5":
            sent = ["5", "6", "7", "8"]
        works = [
            partial(client.post, address + editable.to, form | {editable.field: value})
            for client, form, value in zip(clients, forms, sent, strict=True)
        ]
        answers = in_threads(*works)
        assert sorted(answer.status_code for answer in answers) == [302, 409, 409, 409]
        (winner,) = (value for value, answer in zip(sent, answers, strict=True) if answer.status_code == 302)
        assert read_form(clients[0].get(address))[editable.field] == winner


@pytest.mark.django_db
class TestRefusedChange:
    def test_keeps_the_version_that_was_seen(self):
        ada, bob = admin_of("ada"), admin_of("bob")
        address = make_code(ada)
        form = open_form(bob, address)
        ada.post(address, open_form(ada, address) | {"description": "early bird"})
        refused = bob.post(address, form | {"description": ""})
        assert refused.status_code == 400
        again = read_form(refused) | {"reason": "r", "description": "late bird"}
        assert bob.post(address, again).status_code == 409

    def test_has_no_conflict_after_a_change_that_was_undone(self):
        ada, bob = admin_of("ada"), admin_of("bob")
        address = make_code(ada)
        form = open_form(bob, address)
        for text in ("early bird", "first"):
            ada.post(address, open_form(ada, address) | {"description": text})
        assert bob.post(address, form | {"description": "late bird"}).status_code == 302


class TestCheckVersion:
    def test_compares_only_a_version_that_was_seen(self):
        check_version(None, "b")
        check_version("b", "b")
        for version in ("", "a"):
            with pytest.raises(EditConflict):
                check_version(version, "b")


class TestDigestValues:
    def test_depends_on_each_value_and_not_on_their_order(self):
        assert digest_values({"a": 1, "b": None}) == digest_values({"b": None, "a": 1})
        assert len({digest_values({"a": value}) for value in (1, "1", None, "", [1])}) == 5
