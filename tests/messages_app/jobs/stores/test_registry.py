from messages_app.jobs.stores.messages import MESSAGES
from messages_app.jobs.stores.registry import STORES, store_of
from messages_app.jobs.validation.options import OPTIONS
from messages_app.shared.job_states import STORE_OF, JobKind, StoreName, kinds_of


class TestStoreOf:
    def test_has_the_store_of_every_kind_that_can_be_run(self):
        assert {STORE_OF[kind] for kind in OPTIONS} <= set(STORES)

    def test_shows_a_kind_that_nobody_knows_as_one_of_messages(self):
        assert store_of("odd") is MESSAGES


class TestKindsOf:
    def test_parts_all_kinds(self):
        kinds = [kind for store in StoreName for kind in kinds_of(store)]
        assert sorted(kinds) == sorted(JobKind)
