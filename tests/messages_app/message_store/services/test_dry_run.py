import pytest

from messages_app.message_store.errors import MessageMissing
from messages_app.message_store.models import (
    MessageHistory,
    MessageStore,
    TargetRecord,
    UnresolvedReference,
)
from messages_app.message_store.services.dry_run import Effect, make_dry_run
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
        with pytest.raises(MessageMissing):
            make_dry_run("123e4567-e89b-12d3-a456-426614174000")

    def test_compares_with_the_versions_of_its_own_entity(self):
        define(json_schema={})
        define("crm", "order", json_schema={})
        process(store([{"id": 1, "name": "an order"}], entity="order"))
        (change,) = make_dry_run(store([{"id": 1, "name": "Ada"}])).records
        assert change.effect == Effect.NEW
        process(store([{"id": 1, "name": "Ada"}]))
        (change,) = make_dry_run(store([{"id": 1, "name": "an order"}], entity="order")).records
        assert (change.effect, change.fields) == (Effect.CHANGED, [])

    def test_compares_the_newest_versions(self, monkeypatch):
        monkeypatch.setattr("messages_app.message_store.services.dry_run._MAX_VERSIONS", 2)
        define(json_schema={})
        for day in (3, 1, 2):
            data = [{"id": 1, "name": f"day {day}", f"day-{day}": 1, "same": 1}]
            process(store(data, timestamp=f"2026-05-0{day}T00:00:00Z"))
        data = [{"id": 1, "name": "day 4", "day-3": 2, "same": 1, "more": 1}]
        (change,) = make_dry_run(store(data)).records
        assert (change.effect, change.fields) == (Effect.CHANGED, ["day-3", "more", "name"])

    def test_counts_what_it_would_take_back(self):
        define()
        key = store([{"id": 1}, {"id": 2}, {"id": 3}])
        process(key)
        MessageStore.objects.filter(pk=key).update(data='[{"id": 2}]')
        dry_run = make_dry_run(key)
        assert (dry_run.status, dry_run.taken_back, dry_run.ended) == (10, 2, 0)
        assert [dry_run.count(effect) for effect in Effect] == [0, 0, 1]
        assert len(current()) == 3

    def test_counts_the_versions_that_end_without_another_of_the_message(self):
        define()
        for day, keys in ((1, (1, 2, 3)), (3, (1, 2))):
            process(store([{"id": key} for key in keys], timestamp=f"2026-05-0{day}T00:00:00Z"))
        refresh = store([{"id": 1}], timestamp="2026-05-02T00:00:00Z", refresh=True)
        # Of the first day those of 2 and 3; that of 1 is followed by a version of the message itself.
        assert make_dry_run(refresh).ended == 2

    def test_counts_only_versions_of_the_refreshed_entity_before_the_refresh(self):
        define("crm", "line", json_schema={})
        define(json_schema={}, children={"lines": "line"})
        both = {"id": 1, "lines": [{"id": 1}]}
        for day in (1, 2, 4):
            process(store([both, {"id": 2}], timestamp=f"2026-05-0{day}T00:00:00Z"))
        dry_run = make_dry_run(store([both], timestamp="2026-05-03T00:00:00Z", refresh=True))
        # Of the second day that of 2; that of 1 is followed by the message's own, and that of the line stays.
        assert (dry_run.ended, dry_run.taken_back) == (1, 0)
        # Of the second day, to which the message belongs too, only 2 ends.
        assert make_dry_run(store([both], timestamp="2026-05-02T00:00:00Z", refresh=True)).ended == 1

    @pytest.mark.parametrize(("most", "status"), [(10, 10), (9, 20)])
    def test_reads_data_up_to_the_size_of_the_settings(self, settings, most, status):
        settings.MESSAGE_STORE_AT_ONCE_BYTES = most
        define()
        dry_run = make_dry_run(store('[{"id":1}]'))
        assert dry_run.status == status
        assert list(dry_run.errors) == ([] if status == 10 else ["It is too large for a dry run."])
