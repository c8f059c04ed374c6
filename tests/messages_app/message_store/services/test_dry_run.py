import pytest

from messages_app.message_store import services
from messages_app.message_store.models import MessageHistory, TargetRecord, UnresolvedReference
from messages_app.message_store.services import Effect, make_dry_run
from tests.support.stores import (
    current,
    define,
    define_orders,
    make_older,
    process,
    set_process,
    status_of,
    store,
)

pytestmark = pytest.mark.django_db


class TestMakeDryRun:
    def test_reports_new_changed_and_unchanged_records_and_writes_none(self):
        define()
        process(store([{"id": 1, "name": "Ada"}, {"id": 2}]))
        before = current()
        key = store([{"id": 1, "name": "Grace"}, {"id": 3}])
        found = make_dry_run(key)
        told = {change.key.text: (change.effect, change.fields) for change in found.records}
        assert told == {"[1]": (Effect.CHANGED, ["name"]), "[3]": (Effect.NEW, ())}
        assert found.status == 10
        assert current() == before
        assert status_of(key) == 0
        assert MessageHistory.objects.filter(message_identifier=key).count() == 0

    def test_finds_nothing_to_change_in_a_processed_message(self):
        define()
        key = store([{"id": 1}])
        process(key)
        (change,) = make_dry_run(key).records
        assert change.effect == Effect.UNCHANGED

    def test_counts_what_a_refresh_would_end(self):
        define()
        process(store([{"id": 1}, {"id": 2}]))
        found = make_dry_run(store([{"id": 2}], refresh=True))
        assert found.ended == 1
        assert TargetRecord.objects.filter(valid_to=None).count() == 2

    def test_shows_what_would_go_wrong(self):
        define_orders()
        assert make_dry_run(store([{"id": 1, "customer": 9}], entity="order")).status == 2
        old = store([{"id": 1, "customer": 9}], entity="order")
        make_older(old, "60 days")
        assert make_dry_run(old).status == 26
        assert make_dry_run(store(entity="nothing")).status == 24
        assert not UnresolvedReference.objects.exists()

    def test_checks_a_message_in_any_status(self):
        define()
        key = store([{"id": 1}])
        set_process(key, status=26)
        assert make_dry_run(key).status == 10
        assert status_of(key) == 26

    def test_needs_a_message(self):
        with pytest.raises(services.MessageMissing):
            make_dry_run("123e4567-e89b-12d3-a456-426614174000")
