"""The numbers in the menu: their meaning, their readers, and a number that cannot be read."""

import re
import time
from datetime import timedelta

import psycopg
import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection, transaction

from messages_app.core.clock import database_clock
from messages_app.dashboard.menu_counts import read_menu_counts
from messages_app.document_history.models import DocumentInDoubt
from messages_app.incidents.models import Incident
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import Job
from messages_app.shared.job_states import JobState, PauseReason
from tests.support.factories import NOON, make_funnel, make_message
from tests.support.page_client import client_of, text_of
from tests.support.queues import store as store_cp
from tests.support.threads import in_threads

NONE = {"incidents": 0, "jobs": 0, "funnels": 0, "in_doubt": 0, "stopped_services": 0}


def wait_for_funnel(*, value: str, minutes: int) -> None:
    """Store a message that has waited for a value this long."""
    received = database_clock() - timedelta(minutes=minutes)
    message = make_message(state="POSTPONED", funnel_component_id="route-a", receive_timestamp=received)
    make_funnel(message, funnel_value=value)


@pytest.mark.django_db
class TestCounts:
    def test_are_zero_for_a_quiet_hub(self):
        assert read_menu_counts() == NONE

    def test_are_of_what_needs_a_person(self):
        for owner in ("", "", "ada"):
            Incident.objects.create(title="one", began_at=NOON, last_failure_at=NOON, owner=owner)
        wait_for_funnel(value="a", minutes=16)
        wait_for_funnel(value="a", minutes=17)
        wait_for_funnel(value="b", minutes=14)
        for state, dry_run, paused_for in (
            (JobState.RUNNING, False, ""),
            (JobState.PAUSED, False, PauseReason.CANARY_UNDECIDED),
            (JobState.PLANNED, False, PauseReason.SECOND_PERSON),
            (JobState.PLANNED, True, ""),
            (JobState.RUNNING, True, ""),
            (JobState.DONE, False, ""),
        ):
            Job.objects.create(kind="cancel", state=state, dry_run=dry_run, paused_for=paused_for)
        for state in ("open", "open", "settled"):
            DocumentInDoubt.objects.create(trigger_id="t", rule="history", state=state)
        store_cp("held", osid=7, lock="a service that never polled")
        assert read_menu_counts() == {
            "incidents": 2,
            "jobs": 3,
            "funnels": 1,
            "in_doubt": 2,
            "stopped_services": 1,
        }


@pytest.mark.django_db(transaction=True)
class TestASlowCount:
    def test_is_left_out_and_not_repeated_for_every_page(self):
        Incident.objects.create(title="one", began_at=NOON, last_failure_at=NOON)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE document_in_doubt")
            [counts] = in_threads(read_menu_counts)
            assert counts == {name: 0 for name in NONE if name != "in_doubt"} | {"incidents": 1}
            began_at = time.monotonic()
            assert read_menu_counts() == counts
            assert time.monotonic() - began_at < 0.1


@pytest.mark.django_db
class TestMenu:
    def test_shows_a_number_only_if_there_is_one(self):
        DocumentInDoubt.objects.create(trigger_id="t", rule="history")
        page = text_of(client_of("support").get("/audit/"))
        shown = re.search(
            r'(<span class="c-side-number"[^>]*>)<span data-menu-count="in_doubt">1</span>', page
        )
        hidden = re.search(r'(<span class="c-side-number"[^>]*>)<span data-menu-count="jobs">0</span>', page)
        assert "hidden" not in shown[1]
        assert "hidden" in hidden[1]
        assert '<span class="u-visually-hidden"> in doubt</span>' in page

    def test_is_updated_by_the_request_that_asks_for_failing_messages(self):
        DocumentInDoubt.objects.create(trigger_id="t", rule="history")
        part = text_of(client_of("support").get("/failures/now/"))
        for name, number in (NONE | {"in_doubt": 1}).items():
            assert f"""hx-swap-oob='innerHTML:[data-menu-count="{name}"]'>{number}<""" in part

    def test_has_no_number_of_pages_that_the_user_may_not_open(self):
        client = client_of(username="eve")
        rights = Permission.objects.filter(codename__in=("view_message", "view_job"))
        User.objects.get(username="eve").user_permissions.set(rights)
        for address in ("/", "/failures/now/"):
            page = text_of(client.get(address))
            assert 'data-menu-count="jobs"' in page
            assert "in_doubt" not in page
            assert "stopped_services" not in page


@pytest.mark.django_db(transaction=True)
class TestFrame:
    def test_does_not_make_a_page_wait_for_locked_messages(self):
        """Not longer than each of its numbers may take."""
        client = client_of("support")
        with psycopg.connect(database_dsn()) as other:
            other.execute("LOCK TABLE message")
            began = time.monotonic()
            response = client.get("/me/")
            assert time.monotonic() - began < 2.5
        assert response.status_code == 200
