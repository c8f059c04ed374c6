from messages_app.demo.senders import Senders
from messages_app.demo.world import OPERATIONS, SPLIT_INTO, make_dice


class TestSenders:
    def test_sends_only_what_a_system_sends(self):
        senders = Senders(random=make_dice(1))
        for _ in range(200):
            operation = senders.choose_operation()
            draft = senders.make_root(operation, 1_000.0)
            assert draft.source_system in operation.systems
            assert draft.msg_at < draft.received_at

    def test_returns_no_correlation_id_twice_within_a_system(self):
        senders = Senders(random=make_dice(1))
        drafts = [senders.make_root(senders.choose_operation(), 1_000.0 + n) for n in range(20_000)]
        keys = {(draft.source_system, draft.correlation_id) for draft in drafts}
        assert len(keys) == len(drafts)
        assert len({correlation_id for _, correlation_id in keys}) < len(drafts)

    def test_fits_the_hub_s_columns(self):
        senders = Senders(random=make_dice(1), name="X")
        root = senders.make_root(OPERATIONS["submitReadings"], 1_000.0)
        child = senders.make_child(root, SPLIT_INTO, 3)
        assert len(root.source_system) <= 15
        assert child.correlation_id == f"{root.correlation_id}_3"
        assert len(child.correlation_id) <= 100

    def test_orders_only_messages_with_their_own_funnel_value(self):
        senders = Senders(random=make_dice(1))
        values = [senders.make_root(OPERATIONS["changeTariff"], 1_000.0).funnel_values for _ in range(500)]
        assert len(set(values)) == 500

    def test_gives_a_second_funnel_value_only_to_some_payments_and_only_if_it_may(self):
        for has_second_values, expected in ((True, {1, 2}), (False, {1})):
            senders = Senders(random=make_dice(1), has_second_values=has_second_values)
            drafts = [senders.make_root(OPERATIONS["postPayment"], 1_000.0) for _ in range(300)]
            assert {len(draft.funnel_values) for draft in drafts} == expected
