import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.funnels.filters import FunnelFilter
from messages_app.messages.funnels.selectors import MAX_WAITING, read_running, read_waiting
from messages_app.messages.models import Funnel, Message
from tests.messages_app.messages.funnels.test_lanes import MINUTE, in_funnel
from tests.support.factories import message_columns

pytestmark = pytest.mark.django_db


def ids(members: list) -> list[int]:
    return [member.msg_id for member in members]


class TestWaiting:
    def test_leaves_out_messages_without_a_funnel_value(self):
        in_funnel()
        waiter = in_funnel("7")
        assert ids(read_waiting(FunnelFilter()).members) == [waiter.pk]

    def test_reads_the_longest_waits_and_reports_that_it_stopped(self):
        Message.objects.bulk_create(
            Message(**message_columns(number, state="POSTPONED", funnel_component_id="f"))
            for number in range(1, MAX_WAITING + 3)
        )
        Funnel.objects.bulk_create(
            Funnel(funnel_id=number, msg_id=number, funnel_value="hot")
            for number in range(1, MAX_WAITING + 3)
        )
        for filters in (FunnelFilter(), FunnelFilter(component="f")):
            found = read_waiting(filters)
            assert found.is_cut
            assert ids(found.members) == list(range(1, MAX_WAITING + 1))
        assert read_waiting(FunnelFilter(value="hot")).is_cut
        assert read_waiting(FunnelFilter(value="hot", component="f")).members[0].msg_id == 1

    def test_keeps_all_values_of_a_message(self):
        in_funnel("7", "8")
        assert read_waiting(FunnelFilter()).members[0].values == ("7", "8")

    def test_finds_one_value_of_every_component(self):
        first, second = in_funnel("7", ago=2 * MINUTE), in_funnel("7", funnel_component_id="g")
        old, bare = in_funnel(funnel_value="7"), in_funnel("7", funnel_component_id=None)
        found = read_waiting(FunnelFilter(value="7"))
        assert set(ids(found.members)) == {first.pk, second.pk, old.pk, bare.pk}
        assert not found.is_cut


class TestRunning:
    def test_finds_messages_that_started_within_the_idle_window(self):
        in_funnel("7", state="PROCESSING", ago=11 * MINUTE)
        in_funnel("7", state="PROCESSING", start_process_timestamp=None)
        in_funnel("7"), in_funnel("7", state="OK")
        holder = in_funnel("7", state="PROCESSING", ago=9 * MINUTE)
        for filters in (FunnelFilter(), FunnelFilter(value="7")):
            assert ids(read_running(filters, at=database_clock())) == [holder.pk]
