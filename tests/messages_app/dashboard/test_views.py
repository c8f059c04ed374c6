from datetime import timedelta
from time import monotonic

import pytest
from django.db import connection
from django.utils.html import strip_tags

from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job
from messages_app.messages import first_steps
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def outage() -> None:
    now = database_clock()
    for minutes in (1, 2, 3):
        make_message(
            state="FAILED",
            failed_error_code="E103",
            failed_desc="E103: timed out",
            receive_timestamp=now - timedelta(minutes=minutes),
        )
    Job.objects.create(kind="restart", created_by="ana", reason="x", started_at=now, state="running")
    make_rule()
    fold_changes()
    group_new_failures()
    check_rules()


class TestDashboard:
    def test_shows_an_outage(self, outage):
        text = text_of(client_of("support").get("/"))
        assert "3 new in 1 h" in text
        assert "Timed out" in text
        assert "Alerts: Failed 3 over its limit for" in " ".join(strip_tags(text).split())
        assert 'class="c-flow-run"' in text

    @pytest.mark.parametrize("window", ["1h", "3h", "7d", ""])
    def test_covers_the_requested_time(self, outage, window):
        assert client_of("support").get(f"/?window={window}").status_code == 200

    def test_offers_the_first_steps_instead_of_zeros_while_there_is_no_message(self):
        text = text_of(client_of("support").get("/"))
        assert "No messages yet" in text
        assert "manage.py attach SCHEMA" in text
        assert "Failing now" not in text
        assert 'data-state="OK"' not in text
        assert "worker" not in text

    def test_says_in_the_first_minutes_that_counts_are_being_built(self, monkeypatch):
        make_message(state="FAILED")
        # The process of the tests may have begun long ago.
        monkeypatch.setattr(first_steps, "_STARTED", monotonic())
        text = text_of(client_of("support").get("/"))
        assert "Counts are being built." in text
        assert "worker" not in text

    def test_names_the_worker_if_nothing_was_counted_after_the_first_minutes(self, monkeypatch):
        make_message(state="FAILED")
        monkeypatch.setattr(first_steps, "_FIRST_SECONDS", 0)
        text = text_of(client_of("support").get("/"))
        assert "Check that the worker for the short queue is running." in text
        assert "Counts are being built." not in text

    def test_shows_the_other_tiles_if_one_fails(self, outage):
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE failure_minute RENAME TO gone")
        text = text_of(client_of("support").get("/"))
        assert "This could not be read in time." in text
        assert "3 new in 1 h" in text

    def test_guides_a_new_user_until_the_guide_is_closed(self, outage):
        client = client_of("operator")
        text = text_of(client.get("/"))
        group, newest = FailureGroup.objects.get(), Message.objects.order_by("-pk").first()
        assert "New here?" in text
        assert f"/messages/{newest.pk}/" in text
        assert f"state=FAILED&amp;failure_group={group.pk}&amp;canary=20" in text
        assert client.post("/dashboard/guide/").url == "/"
        assert "New here?" not in text_of(client.get("/"))
        assert "New here?" in text_of(client_of("support", username="bob").get("/"))

    def test_has_no_urgent_link_if_nothing_is_urgent(self):
        assert "New here?" not in text_of(client_of("support").get("/"))

    def test_is_for_users_with_permission_to_see_messages(self):
        assert client_of().get("/").status_code == 403


class TestDashboardPart:
    def test_has_only_the_tiles(self, outage):
        text = text_of(client_of("support").get("/dashboard/part/?window=1h"))
        assert "3 new in 1 h" in text
        assert "<html" not in text
