import pytest

from messages_app.messages.funnels import blocking
from messages_app.messages.funnels.blocking import (
    MAX_LINE,
    find_holders,
    find_overstayers,
    funnel_order,
    funnel_values,
    is_blocked_by_itself,
    order_queue,
    waiting_line,
)
from messages_app.messages.models import ArchiveFunnel
from tests.messages_app.messages.funnels.rows import AT, ago, in_funnel, ordered, stored
from tests.support.factories import make_archived_message, make_funnel, make_message, next_id

pytestmark = pytest.mark.django_db


@pytest.fixture
def openhub(settings):
    settings.HUB_RULES = "openhub"


def ids(members) -> list[int]:
    return [member.msg_id for member in members]


def held(**changes: object) -> list[int]:
    return ids(find_holders(**({"values": ["777"], "component_id": "f", "at": AT} | changes)))


class TestFunnelValues:
    def test_are_the_rows_of_the_table(self):
        message = make_message(funnel_value="old")
        make_funnel(message, funnel_value="B")
        make_funnel(message, funnel_value="A")
        assert funnel_values(message) == ("B", "A")

    def test_are_the_value_in_the_message_without_rows(self):
        assert funnel_values(make_message(funnel_value="old")) == ("old",)

    def test_are_empty_without_both(self):
        assert funnel_values(make_message()) == ()

    def test_are_read_from_the_archive_for_an_archived_message(self):
        message = make_archived_message()
        ArchiveFunnel.objects.create(funnel_id=next_id(), msg_id=message.pk, funnel_value="A")
        assert funnel_values(message) == ("A",)


class TestPostponesItself:
    def test_is_true_for_two_values_in_cleverbus(self):
        assert is_blocked_by_itself(("A", "B"))

    def test_is_true_for_the_same_value_twice(self):
        assert is_blocked_by_itself(("A", "A"))

    def test_is_false_for_one_value(self):
        assert not is_blocked_by_itself(("A",))

    def test_is_false_in_openhub(self, openhub):
        assert not is_blocked_by_itself(("A", "B"))


class TestHolders:
    @pytest.mark.parametrize("state", ["PROCESSING", "WAITING", "WAITING_FOR_RES"])
    def test_are_running_messages(self, state):
        holder = in_funnel(state)
        assert held() == [holder.pk]

    @pytest.mark.parametrize(
        "state", ["NEW", "IN_QUEUE", "PARTLY_FAILED", "POSTPONED", "FAILED", "OK", "CANCEL"]
    )
    def test_do_not_include_other_messages_in_cleverbus(self, state):
        in_funnel(state)
        assert held() == []

    @pytest.mark.parametrize("state", ["NEW", "IN_QUEUE", "PROCESSING", "WAITING", "WAITING_FOR_RES"])
    def test_include_new_messages_in_openhub(self, openhub, state):
        holder = in_funnel(state)
        assert held() == [holder.pk]

    def test_include_a_message_that_started_just_within_the_idle_window(self):
        holder = in_funnel("PROCESSING", age=600)
        assert held() == [holder.pk]

    def test_leave_out_a_message_that_started_before_the_idle_window(self):
        in_funnel("PROCESSING", age=601)
        assert held() == []

    def test_leave_out_a_message_that_never_started(self):
        in_funnel("PROCESSING", start_process_timestamp=None)
        assert held() == []

    def test_have_the_same_component_in_cleverbus(self):
        in_funnel("PROCESSING", funnel_component_id="g")
        in_funnel("PROCESSING", funnel_component_id=None)
        assert held() == []

    def test_treat_two_missing_components_as_the_same(self):
        holder = in_funnel("PROCESSING", funnel_component_id=None)
        assert held(component_id=None) == [holder.pk]

    def test_may_have_any_component_in_openhub(self, openhub):
        holder = in_funnel("PROCESSING", funnel_component_id="g")
        assert held() == [holder.pk]

    def test_share_a_value(self):
        in_funnel("PROCESSING", value="778")
        assert held() == []

    def test_may_share_any_of_several_values(self):
        holder = stored("PROCESSING", values=("1", "2"), funnel_component_id="f")
        assert held(values=["2", "3"]) == [holder.pk]

    def test_are_also_found_by_the_old_column(self):
        holder = stored("PROCESSING", funnel_value="777", funnel_component_id="f")
        assert held() == [holder.pk]

    def test_are_not_found_by_the_old_column_of_a_message_with_rows(self):
        stored("PROCESSING", funnel_value="777", values=("other",), funnel_component_id="f")
        assert held() == []

    def test_leave_out_the_message_itself(self):
        holder = in_funnel("PROCESSING")
        assert held(excluding=holder.pk) == []

    def test_are_empty_without_values(self):
        in_funnel("PROCESSING")
        assert held(values=[]) == []

    def test_have_the_columns_that_the_rules_read(self):
        holder = in_funnel("WAITING", age=30)
        (member,) = find_holders(values=["777"], component_id="f", at=AT)
        assert member.msg_id == holder.pk
        assert member.state == "WAITING"
        assert member.start_process_timestamp == ago(30)
        assert member.values == ("777",)

    def test_are_found_beyond_the_fence_by_their_component(self, monkeypatch):
        monkeypatch.setattr(blocking, "FENCE", 3)
        holder = in_funnel("PROCESSING", age=300)
        for _ in range(5):
            in_funnel("OK")
        assert held() == [holder.pk]

    @pytest.mark.parametrize("most_open", [1, 10_000])
    def test_are_found_among_many_rows_of_their_value(self, monkeypatch, most_open):
        monkeypatch.setattr(blocking, "FENCE", 3)
        monkeypatch.setattr(blocking, "MAX_OPEN", most_open)
        in_funnel("WAITING", value="778")
        for _ in range(5):
            in_funnel("OK", funnel_component_id=None)
        holders = [in_funnel(state, funnel_component_id=None).pk for state in ("PROCESSING", "WAITING")]
        assert held(component_id=None) == holders


class TestOverstayers:
    def test_are_running_messages_that_started_before_the_idle_window(self):
        old = in_funnel("PROCESSING", age=601)
        in_funnel("PROCESSING", age=600)
        assert ids(find_overstayers(values=["777"], component_id="f", at=AT)) == [old.pk]


class TestLine:
    def test_has_the_postponed_messages_oldest_first(self):
        young, old = in_funnel("POSTPONED", age=10), in_funnel("POSTPONED", age=20)
        in_funnel("PROCESSING")
        in_funnel("POSTPONED", value="778")
        assert ids(waiting_line(values=["777"], component_id="f")) == [old.pk, young.pk]

    def test_compares_components_only_in_cleverbus(self, settings):
        other = in_funnel("POSTPONED", funnel_component_id="g")
        assert waiting_line(values=["777"], component_id="f") == []
        settings.HUB_RULES = "openhub"
        assert ids(waiting_line(values=["777"], component_id="f")) == [other.pk]

    def test_is_limited(self):
        oldest = in_funnel("POSTPONED", age=20)
        in_funnel("POSTPONED", age=10)
        assert ids(waiting_line(values=["777"], component_id="f", limit=1)) == [oldest.pk]
        assert MAX_LINE >= 1000


class TestFunnelOrder:
    @pytest.mark.parametrize(
        "state", ["PROCESSING", "WAITING", "WAITING_FOR_RES", "PARTLY_FAILED", "POSTPONED", "FAILED"]
    )
    def test_has_messages_that_have_not_ended(self, state):
        member = in_funnel(state)
        assert ids(funnel_order(values=["777"], component_id="f", at=AT)) == [member.pk]

    @pytest.mark.parametrize("rules", ["cleverbus", "openhub"])
    def test_compares_components_in_both_hubs(self, settings, rules):
        settings.HUB_RULES = rules
        in_funnel("FAILED", funnel_component_id="g")
        assert funnel_order(values=["777"], component_id="f", at=AT) == []

    def test_leaves_out_messages_that_started_before_the_idle_window(self):
        in_funnel("FAILED", age=601)
        assert funnel_order(values=["777"], component_id="f", at=AT) == []


class TestOrderQueue:
    def test_is_sorted_by_msg_timestamp_and_not_by_id(self):
        young, old = ordered("POSTPONED", age=10), ordered("PROCESSING", age=20)
        assert ids(order_queue(values=["777"])) == [old.pk, young.pk]

    def test_has_no_time_window_and_no_component(self):
        old = ordered("WAITING_FOR_RES", age=1_000_000, funnel_component_id="g")
        assert ids(order_queue(values=["777"])) == [old.pk]

    def test_includes_failed_messages(self):
        failed = ordered("FAILED")
        assert ids(order_queue(values=["777"])) == [failed.pk]

    def test_leaves_out_failed_messages_if_requested(self):
        ordered("FAILED")
        assert order_queue(values=["777"], exclude_failed=True) == []

    @pytest.mark.parametrize("state", ["OK", "CANCEL"])
    def test_leaves_out_ended_messages(self, state):
        ordered(state)
        assert order_queue(values=["777"]) == []

    @pytest.mark.parametrize("state", ["NEW", "IN_QUEUE"])
    def test_includes_new_messages_only_in_openhub(self, settings, state):
        message = ordered(state)
        assert order_queue(values=["777"]) == []
        settings.HUB_RULES = "openhub"
        assert ids(order_queue(values=["777"])) == [message.pk]

    def test_leaves_out_messages_without_the_flag(self):
        in_funnel("PROCESSING")
        assert order_queue(values=["777"]) == []

    def test_lists_the_newest_id_first_among_equal_times_in_openhub(self, openhub):
        first, second = ordered("POSTPONED"), ordered("POSTPONED")
        assert ids(order_queue(values=["777"])) == [second.pk, first.pk]

    def test_also_reads_the_old_column(self):
        message = stored("POSTPONED", funnel_value="777", guaranteed_order=True)
        assert ids(order_queue(values=["777"])) == [message.pk]

    def test_finds_the_head_beyond_the_fence(self, monkeypatch):
        monkeypatch.setattr(blocking, "FENCE", 3)
        head = ordered("FAILED", age=500)
        for _ in range(5):
            in_funnel("OK")
        assert ids(order_queue(values=["777"])) == [head.pk]
