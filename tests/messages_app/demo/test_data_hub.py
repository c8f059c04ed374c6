import pytest

from messages_app.cp_queue.models import CpMessage
from messages_app.demo.data_hub import DataHub, make_definitions
from messages_app.message_store.models import MessageProcess
from messages_app.message_store.services.worker_loop import work_for
from messages_app.messages.models import Message
from tests.support.factories import make_message
from tests.support.stores import status_of

pytestmark = pytest.mark.django_db(transaction=True)


def document(number: int, service: str = "order") -> Message:
    return make_message(service_name=service, object_id=f"O-{number}", correlation_id=f"c-{number}")


class TestPassOn:
    def test_lets_orders_wait_for_a_customer_that_arrives_after_them(self):
        make_definitions()
        hub = DataHub()
        keys = [hub.pass_on(document(number)) for number in range(14)]
        work_for(seconds=20)
        assert {status_of(key) for key in keys[:10]} == {10}
        assert {status_of(key) for key in keys[10:]} == {2}
        keys.append(hub.pass_on(document(14)))
        work_for(seconds=20)
        assert {status_of(key) for key in keys} == {10}
        queued = CpMessage.objects.filter(queuename="FULLTEXTIDX").values_list("osid", flat=True)
        assert sorted(queued) == [100_000_000 + number for number in range(15)]

    def test_passes_a_document_on_once_and_only_those_of_known_services(self):
        hub = DataHub()
        one = document(1)
        assert hub.pass_on(one) == DataHub().pass_on(one)
        assert MessageProcess.objects.count() == 2
        assert hub.pass_on(document(2, service="notification")) is None
