"""The demo's hub on the tables of a real release, to which the console is attached."""

from collections.abc import Iterator
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from hubconsole.checks.database import check_indexes, check_server
from hubconsole.suitability import refusal_of_database
from messages_app.audit.services import Actor
from messages_app.demo.hub.demo_hub import DemoHub
from messages_app.demo.hub.ground import Ground, look_at_ground
from messages_app.demo.hub.play import Play, Timing
from messages_app.demo.hub_tables import TABLES, NoPlace, attach_demo_hub
from messages_app.demo.loader import load_demo
from messages_app.messages import services
from messages_app.messages.models import Message, MessageEvent
from messages_app.shared.message_states import MessageState
from tests.support.databases import another_database
from tests.support.hubs import hub_database
from tests.support.parameters import quick_first

# Not that of the database, so that a time in the wrong zone is noticed.
ZONE = "Europe/Prague"
TIMES = {"HUB_POLL_SECONDS": "6", "HUB_FAILED_REST_SECONDS": "60", "HUB_POSTPONED_REST_SECONDS": "5"}
LOADED = 1_500
# The trace of a live message in its object id. Source: docs/reference/demo.md, "Behaviour of the demo's hub".
LIVE = r"^[A-Z]+L\d"
QUEUE_STATES = {MessageState.NEW, MessageState.IN_QUEUE}


def one(statement: str, *values: object) -> tuple:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()


@pytest.fixture(scope="module", params=quick_first(sorted(TABLES, reverse=True)))
def place(request, django_db_setup, django_db_blocker) -> Iterator[str]:
    """Give the schema of a loaded demo's hub, to which the console is attached."""
    before = settings.HUB_RULES, settings.HUB_TIME_ZONE
    with django_db_blocker.unblock(), another_database(f"demo_{request.param}"):
        settings.HUB_RULES, settings.HUB_TIME_ZONE = "", ZONE
        try:
            attach_demo_hub(request.param, times=TIMES)
            assert look_at_ground() is Ground.EMPTY
            load_demo(count=LOADED, seed=1, on_progress=lambda done: None)
            yield request.param
        finally:
            settings.HUB_RULES, settings.HUB_TIME_ZONE = before


@pytest.fixture
def played(place: str) -> str:
    """Let the hub run for a few seconds."""
    hub = DemoHub(Play(timing=Timing.at_speed(100.0), rate=20.0, seed=1, failing=0.0))
    hub.work(seconds=4)
    assert hub.errors == 0
    return place


class TestAttachDemoHub:
    def test_gives_a_console_that_is_suitable(self, place: str):
        assert refusal_of_database() is None
        check_server()
        check_indexes()

    def test_does_nothing_the_second_time(self, place: str):
        query = "SELECT max(oid::bigint), count(*) FROM pg_class"
        before = one(query)
        attach_demo_hub(place, times=TIMES)
        assert one(query) == before

    @pytest.mark.slow
    def test_continues_after_a_kill_between_tables_and_views(self, django_db_setup, django_db_blocker):
        with django_db_blocker.unblock(), another_database("demo_hub_killed"):
            attach_demo_hub("openhub", times=TIMES)
            with connection.cursor() as cursor:
                cursor.execute("DROP SCHEMA hubconsole CASCADE")
            assert attach_demo_hub("openhub", times=TIMES).has_triggers

    def test_refuses_the_other_hub(self, place: str):
        other = next(name for name in TABLES if name != place)
        with pytest.raises(NoPlace, match=f"attached to .* in the schema {place}"):
            attach_demo_hub(other, times=TIMES)

    def test_refuses_a_hub_that_is_not_the_demos(self, django_db_setup, django_db_blocker):
        with django_db_blocker.unblock(), hub_database("OpenHub 2.3"):
            with pytest.raises(NoPlace, match="already has tables, such as openhub"):
                attach_demo_hub("openhub", times=TIMES)
            assert one("SELECT to_regnamespace('hubconsole')") == (None,)

    @pytest.mark.django_db
    def test_refuses_a_console_with_tables_of_its_own(self):
        with pytest.raises(NoPlace, match="already has tables"):
            attach_demo_hub("cleverbus", times=TIMES)


class TestLoadDemo:
    def test_fills_the_tables_of_the_hub(self, place: str):
        assert one(f"SELECT count(*) >= {LOADED} FROM {place}.message") == (True,)
        assert one("SELECT count(*) FROM message_event") > (100,)
        assert look_at_ground() is Ground.DEMO

    def test_writes_times_of_the_zone_of_the_hub(self, place: str):
        newest, local = one(
            "SELECT v.receive_timestamp, m.receive_timestamp FROM message AS v"
            f" JOIN {place}.message AS m USING (msg_id) ORDER BY msg_id DESC LIMIT 1"
        )
        assert newest.astimezone(ZoneInfo(ZONE)).replace(tzinfo=None) == local
        assert newest < timezone.now() + timedelta(minutes=1)

    def test_has_only_states_and_funnels_of_the_release(self, place: str):
        states = set(Message.objects.values_list("state", flat=True).distinct())
        entered = set(MessageEvent.objects.values_list("to_state", flat=True).distinct())
        if place == "openhub":
            assert states >= QUEUE_STATES
            assert one("SELECT count(*) FROM funnel") == (0,)
            assert one("SELECT count(DISTINCT node_id) FROM openhub.message") == (2,)
        else:
            assert not (states | entered) & QUEUE_STATES
            assert one("SELECT count(*) FROM cleverbus.funnel") > (100,)


class TestHub:
    def test_receives_and_processes_in_the_columns_of_the_hub(self, played: str):
        count, earliest, latest = one(
            "SELECT count(*), min(last_update_timestamp), max(last_update_timestamp)"
            f" FROM {played}.message WHERE object_id ~ %s AND state = 'OK'",
            LIVE,
        )
        now = timezone.now().astimezone(ZoneInfo(ZONE)).replace(tzinfo=None)
        assert count > 0  # how many in these seconds depends on the machine
        assert now - timedelta(minutes=5) < earliest <= latest <= now
        assert one(f"SELECT count(*) FROM {played}.external_call WHERE creation_timestamp > %s", earliest) > (
            0,
        )

    def test_is_recorded_by_the_triggers(self, played: str):
        live = list(Message.objects.filter(object_id__regex=LIVE, state="OK").values_list("pk", flat=True))
        ended = MessageEvent.objects.filter(msg_id__in=live, to_state="OK")
        assert set(ended.values_list("msg_id", flat=True)) == set(live)

    def test_processes_what_the_console_restarts(self, place: str):
        failed = Message.objects.filter(state="FAILED", failed_error_code="E103").order_by("-pk").first()
        services.restart_message(msg_id=failed.pk, actor=Actor(username="ada"), reason="the target is back")
        hub = DemoHub(Play(timing=Timing.at_speed(100.0), rate=0.0, seed=1, failing=0.0))
        hub.work(seconds=5)
        assert one(f"SELECT state FROM {place}.message WHERE msg_id = %s", failed.pk) == ("OK",)
