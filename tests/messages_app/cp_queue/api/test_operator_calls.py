"""Each condition of a selective reset reaches the messages that it names, and no others."""

import pytest

from messages_app.cp_queue.models import CpMessage
from tests.support.api_client import caller
from tests.support.queues import guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db

CREATED = "2026-11-02T12:00:00Z"


@pytest.fixture
def held() -> None:
    """Store one message that every condition selects, and one for each that only this one excludes."""
    values = {"queue": "RENDITION", "osid": 71, "ostype": 82, "lock": "W1"}
    for name, other in (
        ("all", {}),
        ("QueueName", {"queue": "PAGECOUNT"}),
        ("ServiceName", {"lock": "W2"}),
        ("ObjectID", {"osid": 82}),
        ("ObjectType", {"ostype": 71}),
        ("CreatedBefore", {}),
    ):
        store(name, **values | other)
    CpMessage.objects.update(created="2026-11-02T11:59:59Z")
    CpMessage.objects.filter(pk=guid_of("CreatedBefore")).update(created=CREATED)


class TestResetSelective:
    CONDITIONS = {
        "QueueName": "RENDITION",
        "ServiceName": "W1",
        "ObjectID": 71,
        "ObjectType": 82,
        "CreatedBefore": CREATED,
    }

    @pytest.mark.parametrize("left_out", ["", *CONDITIONS])
    def test_frees_the_messages_that_meet_each_given_condition(self, held, left_out):
        asked = {name: value for name, value in self.CONDITIONS.items() if name != left_out}
        body = asked | {"reason": "restart"}
        operator = caller("operator")
        freed = {guid_of("all"), guid_of(left_out)} if left_out else {guid_of("all")}
        dry = operator.post("cp-queue/reset-selective/", body | {"DryRun": True}).json()
        assert (dry["released"], None in remaining_messages().values()) == (len(freed), False)
        done = operator.post("cp-queue/reset-selective/", body).json()
        assert (done["return_code"], done["released"]) == (0, len(freed))
        assert {guid for guid, service in remaining_messages().items() if service is None} == freed
