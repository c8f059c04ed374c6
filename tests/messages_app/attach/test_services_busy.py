"""A console whose tables are in use is attached again once they are free."""

import threading
import time

import psycopg
import pytest

from messages_app.attach import services
from messages_app.attach.recognition import recognize_hub
from messages_app.jobs.connections import own_dsn
from messages_app.messages.attachment import current_attachment
from messages_app.messages.suspension import SCHEMA
from tests.support.attached import attached_hub

pytestmark = pytest.mark.django_db(transaction=True)

_LAYOUT = "OpenHub 2.3"
_HOLD = f"LOCK TABLE {SCHEMA}.attachment IN ACCESS EXCLUSIVE MODE"


@pytest.fixture(autouse=True)
def less_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_TRIES", 2)
    monkeypatch.setattr(services, "_MAX_WAIT", "300ms")


def test_a_table_of_the_console_that_stays_locked_is_reported():
    with attached_hub(_LAYOUT) as hub, psycopg.connect(own_dsn()) as other:
        has_triggers = current_attachment().has_triggers
        other.execute(_HOLD)
        with pytest.raises(services.HubBusy) as refusal:
            services.attach_hub(recognize_hub(hub.place), zone="UTC", triggers=True)
        assert str(refusal.value) == (
            "Transactions of the console held one of its tables for more than 300ms, 2 times. Run this again"
            " when the hub is less busy."
        )
        other.rollback()
        services.use_schema()
        assert current_attachment().has_triggers == has_triggers is False


def test_a_second_attempt_attaches_once_the_table_is_free():
    with attached_hub(_LAYOUT) as hub:

        def hold() -> None:
            with psycopg.connect(own_dsn()) as other:
                other.execute(_HOLD)
                is_held.set()
                time.sleep(0.8)

        is_held = threading.Event()
        holder = threading.Thread(target=hold)
        holder.start()
        is_held.wait()
        assert services.attach_hub(recognize_hub(hub.place), zone="UTC", triggers=True).has_triggers
        holder.join()
