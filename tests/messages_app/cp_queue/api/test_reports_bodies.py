"""Each member of a body has the value of its own column or figure."""

from messages_app.cp_queue.api import reports
from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.selectors import ObjectMessage, QueueCounts, ServiceState
from messages_app.cp_queue.selectors.messages import Described
from messages_app.cp_queue.states import State
from tests.support.distinct_rows import check_body


class TestBodies:
    def test_have_each_value_of_messages(self):
        check_body(reports.CpMessageSerializer, Described, state=State.DEFERRED)

    def test_have_each_value_of_messages_of_an_object(self):
        check_body(
            reports.CpObjectMessageSerializer,
            ObjectMessage,
            renamed={
                "guid": "messageguid",
                "queue": "queuename",
                "object_type": "ostype",
                "service": "lock_service",
                "is_collapsible": "collapsible",
            },
            state=State.PARKED,
        )

    def test_have_each_value_of_the_figures_of_a_queue(self):
        flags = {"is_known": "known", "is_from_future": "from_future", "is_exact": "exact"}
        check_body(reports.CpQueueCountsSerializer, QueueCounts, renamed=flags)

    def test_have_each_value_of_services(self):
        check_body(reports.CpServiceSerializer, ServiceState, renamed={"is_probably_dead": "probably_dead"})

    def test_have_each_value_of_dispatches(self):
        check_body(reports.CpDispatchLogSerializer, CpDispatch, outcome="retried")
