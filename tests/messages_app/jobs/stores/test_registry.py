from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.stores import STORES, store_of
from messages_app.jobs.stores.messages import MESSAGES


class TestStoreOf:
    def test_has_the_store_of_every_kind(self):
        assert [store_of(kind) for kind in kind_specs] == [STORES[spec.store] for spec in kind_specs.values()]

    def test_shows_a_kind_that_no_one_knows_as_one_of_messages(self):
        assert store_of("odd") is MESSAGES
