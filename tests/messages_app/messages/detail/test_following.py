"""The open page of a message asks for itself, and is sent only after something about it has changed."""

from datetime import timedelta

import pytest
from django.test import Client

from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.jobs.models import Job
from messages_app.messages import services
from messages_app.messages.detail import following
from messages_app.messages.detail.following import HEADER, make_following, version_of
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.job_states import JobState
from tests.messages_app.messages.detail.rows import make_event, plans
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_message,
    make_request,
)
from tests.support.ledgers import restarting_job
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db

ADA = Actor(username="ada")


@pytest.fixture
def support() -> Client:
    return client_of("support")


def ask(client: Client, msg_id: int, version: str):
    return client.get(f"/messages/{msg_id}/", headers={"HX-Request": "true", HEADER: version})


def call_changes(message: Message) -> None:
    ExternalCall.objects.filter(msg_id=message.pk).update(state="FAILED")


def job_ends(message: Message) -> None:
    Job.objects.update(state=JobState.DONE)


CHANGES = {
    "state": lambda message: Message.objects.filter(pk=message.pk).update(state="PROCESSING"),
    "attempts": lambda message: Message.objects.filter(pk=message.pk).update(failed_count=9),
    "history": lambda message: make_event(message, "OK", "FAILED", at=NOON),
    "audit log": lambda message: audit.record_entry(actor=ADA, action="cancel", msg_id=message.pk),
    "new call": make_external_call,
    "changed call": call_changes,
    "request": make_request,
    "new job": restarting_job,
    "ended job": job_ends,
    "child": lambda message: make_message(parent_msg_id=message.pk),
    "state of a child": lambda message: Message.objects.filter(parent_msg_id=message.pk).update(state="OK"),
    "state of the parent": lambda message: Message.objects.filter(pk=message.parent_msg_id).update(
        state="OK"
    ),
}


class TestVersion:
    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
    def test_changes_with_everything_on_the_page(self, change):
        message = make_message(state="FAILED", parent_msg_id=make_message(state="WAITING").pk)
        make_external_call(message, state="OK")
        make_message(parent_msg_id=message.pk, state="FAILED")
        job = restarting_job(message)
        Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING)
        before = version_of(message.pk)
        assert version_of(message.pk) == before
        change(message)
        assert version_of(message.pk) != before

    def test_does_not_change_with_other_messages(self):
        message, other = make_message(), make_message(state="FAILED")
        before = version_of(message.pk)
        services.restart_message(msg_id=other.pk, actor=ADA, reason="r")
        make_external_call(other)
        assert version_of(message.pk) == before

    def test_differs_between_an_archived_and_a_live_message(self):
        archived = make_archived_message()
        before = version_of(archived.pk)
        make_message(msg_id=archived.pk)
        assert version_of(archived.pk) != before

    def test_is_read_by_indexes(self):
        values = {"msg_id": make_message().pk, "most": 50, "children": 1000}
        for plan in plans(lambda: following.statements.only_row("version", values)):
            assert "Seq Scan" not in plan, plan


class TestPage:
    @pytest.mark.parametrize("state", ["FAILED", "POSTPONED"])
    def test_is_sent_again_only_after_a_change(self, support, state, monkeypatch):
        monkeypatch.setattr(following, "_SECONDS_OF_OPEN", 10**9)
        message = make_message(state=state)
        version = support.get(f"/messages/{message.pk}/").context["following"].version
        same = ask(support, message.pk, version)
        assert (same.status_code, same.content) == (204, b"")
        Message.objects.filter(pk=message.pk).update(state="OK")
        changed = ask(support, message.pk, version)
        assert changed.status_code == 200
        assert changed.context["following"].is_ended is True
        assert ask(support, message.pk, changed.context["following"].version).status_code == 204

    def test_is_sent_for_an_archived_message_that_was_restored(self, support):
        message = make_archived_message(state="OK")
        version = support.get(f"/messages/{message.pk}/").context["following"].version
        assert ask(support, message.pk, version).status_code == 204
        make_message(msg_id=message.pk, state="OK")
        assert ask(support, message.pk, version).status_code == 200

    def test_of_an_open_message_is_sent_after_half_a_minute(self):
        asked = make_following("v", at=NOON, is_ended=False).version
        assert make_following("v", at=NOON + timedelta(seconds=29), is_ended=False).version == asked
        assert make_following("v", at=NOON + timedelta(seconds=30), is_ended=False).version != asked
        assert make_following("v", at=NOON + timedelta(days=1), is_ended=True).version == "v"

    @pytest.mark.parametrize("version", ["", "x", "open-", "open-x-y", "open-1-", "\u00e9"])
    def test_is_sent_for_any_other_version(self, support, version):
        assert ask(support, make_message().pk, version).status_code == 200

    def test_costs_few_queries_while_nothing_changes(self, support, django_assert_max_num_queries):
        message = make_message(state="FAILED")
        version = support.get(f"/messages/{message.pk}/").context["following"].version
        with django_assert_max_num_queries(10):
            assert ask(support, message.pk, version).status_code == 204

    def test_is_not_found_after_the_message_was_deleted(self, support):
        message = make_message(state="FAILED")
        version = support.get(f"/messages/{message.pk}/").context["following"].version
        Message.objects.filter(pk=message.pk).delete()
        assert ask(support, message.pk, version).status_code == 404
