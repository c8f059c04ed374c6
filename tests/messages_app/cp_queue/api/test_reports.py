import pytest

from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.pickup import get_next
from tests.support.api_client import ApiClient, caller, problem
from tests.support.queues import guid_of, store, store_many

pytestmark = pytest.mark.django_db

BASE = "cp-queue/"


@pytest.fixture
def support() -> ApiClient:
    return caller("support")


@pytest.fixture
def filled() -> None:
    """Two queues; of one message each that is free, reserved and deferred."""
    store("waits", age="10 minutes", osid=1)
    get_next(queues="RENDITION", service="W1")
    dispatch_message(guid=guid_of("waits"), service="W1", reason="RETRY")
    store("held", age="1 minute", osid=2)
    get_next(queues="RENDITION", service="W1")
    store("free", age="2 minutes", osid=3)
    store("other", "EIGENE", age="3 minutes", osid=3)
    store("outside", "EIGENE", age="4 minutes", osid=4, lock="W9")


def names(answer: object) -> list[str]:
    known = {guid_of(name): name for name in ("waits", "held", "free", "other", "outside")}
    return [known[row["messageguid"]] for row in answer.json()["results"]]


class TestMessages:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("", ["held", "free", "other", "outside", "waits"]),
            ("?ordering=created", ["waits", "outside", "other", "free", "held"]),
            ("?state=free", ["free", "other"]),
            ("?state=reserved", ["held", "outside"]),
            ("?state=deferred", ["waits"]),
            ("?state=parked", []),
            ("?queuename=EIGENE", ["other", "outside"]),
            ("?lock_service=W9", ["outside"]),
            ("?lock_service=W9&queuename=RENDITION", []),
            ("?osid=3", ["free", "other"]),
            ("?osid=3&state=free&queuename=EIGENE", ["other"]),
            ("?created_to=2020-01-01T00:00:00Z", []),
        ],
    )
    def test_lists_the_requested_messages(self, support, filled, query, found):
        assert names(support.get(f"{BASE}messages/{query}")) == found

    def test_reports_the_columns_of_vendor_and_console_without_checkguid(self, support, filled):
        rows = {row["messageguid"]: row for row in support.get(f"{BASE}messages/").json()["results"]}
        held, outside, waits = (rows[guid_of(name)] for name in ("held", "outside", "waits"))
        assert "checkguid" not in held
        assert (held["lock_service"], held["state"]) == ("W1", "reserved")
        assert held["reserved_at"]
        assert outside["reserved_at"] is None
        assert (waits["state"], waits["attempts"], waits["lock_service"]) == ("deferred", 1, None)

    def test_returns_every_message_once_over_its_pages(self, support):
        store_many(30)
        store_many(30, "PAGECOUNT")
        found, address = [], f"{BASE}messages/?page_size=7"
        while address:
            body = support.get(address).json()
            found += [row["messageguid"] for row in body["results"]]
            address = body["next"] and body["next"].partition("/api/v1/")[2]
        assert len(found) == len(set(found)) == 60

    @pytest.mark.parametrize(
        "query",
        [
            "?state=zzz",
            "?osid=x",
            "?osid=99999999999",
            "?queue=A",
            "?queuename=",
            "?cursor=x",
            "?page_size=0",
        ],
    )
    def test_refuses_bad_parameters(self, support, query):
        assert problem(support.get(f"{BASE}messages/{query}"))["status"] == 400


class TestStatistics:
    def test_reports_queues_and_services(self, support, filled):
        body = support.get(f"{BASE}statistics/").json()
        queues = {queue["name"]: queue for queue in body["queues"]}
        assert body["return_code"] == 0
        assert len(queues) == 9
        rendition = queues["RENDITION"]
        assert [rendition[name] for name in ("total", "free", "reserved", "deferred")] == [3, 2, 1, 1]
        assert queues["EIGENE"]["known"] is False
        found = {service["service"]: service["probably_dead"] for service in body["services"]}
        assert found == {"W1": False, "W9": True}

    def test_reports_one_queue(self, support, filled):
        (queue,) = support.get(f"{BASE}statistics/?QueueName=EIGENE&exact=true").json()["queues"]
        assert (queue["name"], queue["total"], queue["exact"]) == ("EIGENE", 2, True)

    @pytest.mark.parametrize("query", ["?QueueName=", "?exact=1", "?queue=A"])
    def test_refuses_bad_parameters(self, support, query):
        assert problem(support.get(f"{BASE}statistics/{query}"))["status"] == 400


class TestPreview:
    def test_shows_the_next_message(self, support, filled):
        body = support.get(f"{BASE}preview/?QueueNames=RENDITION,EIGENE").json()
        assert body["MessageGUID"] == guid_of("free")
        assert (body["collapsed"], body["held_by"]) == (0, [])

    def test_has_all_values_of_the_message_and_of_its_object(self, support):
        store("next", osid=71, ostype=82, age="1 minute")
        for name in ("older", "oldest"):
            store(name, osid=71, ostype=82, age="1 hour")
        store("held", osid=71, ostype=82, age="2 hours", lock="W9")
        store("other", "EIGENE", 93, ostype=104, age="1 day")
        assert support.get(f"{BASE}preview/?QueueNames=EIGENE,RENDITION").json() == {
            "return_code": 0,
            "MessageGUID": guid_of("next"),
            "ObjectID": 71,
            "ObjectType": 82,
            "QueueName": "RENDITION",
            "collapsed": 2,
            "held_by": ["W9"],
        }

    def test_answers_as_a_pickup_if_nothing_is_free(self, support):
        body = support.get(f"{BASE}preview/?QueueNames=RENDITION").json()
        assert body == {"return_code": 0, "MessageGUID": ""}

    def test_needs_a_queue(self, support):
        assert problem(support.get(f"{BASE}preview/"))["errors"][0]["field"] == "QueueNames"


class TestObject:
    def test_has_its_messages_of_all_queues(self, support, filled):
        body = support.get(f"{BASE}objects/3/").json()
        assert {row["queuename"] for row in body["messages"]} == {"RENDITION", "EIGENE"}

    @pytest.mark.parametrize("osid", ["x", "-99999999999", "99999999999"])
    def test_finds_no_object_without_a_number(self, support, osid):
        assert problem(support.get(f"{BASE}objects/{osid}/"))["status"] == 404


class TestDispatches:
    @pytest.fixture(autouse=True)
    def dispatched(self):
        for number, reason in enumerate(("OK", "broken", "OK")):
            guid = store(f"A-{number}", lock=f"W{number}", osid=number)
            dispatch_message(guid=guid, service=f"W{number}", reason=reason)

    @pytest.mark.parametrize(
        ("query", "objects"),
        [
            ("", [2, 1, 0]),
            ("?osid=1", [1]),
            ("?service=W2", [2]),
            ("?queuename=RENDITION&outcome=failed", [1]),
            ("?queuename=PAGECOUNT", []),
            ("?osid=1&service=W2", []),
            ("?at_to=2020-01-01T00:00:00Z", []),
        ],
    )
    def test_lists_the_log_newest_first(self, support, query, objects):
        rows = support.get(f"{BASE}dispatches/{query}").json()["results"]
        assert [row["osid"] for row in rows] == objects


class TestDispatchesOfAMessage:
    @pytest.fixture
    def dispatched(self) -> None:
        for name in ("one", "two"):
            store(name, osid=1)
            get_next(queues="RENDITION", service="W1")
            dispatch_message(guid=guid_of(name), service="W1", reason="OK")
        CpDispatch.objects.filter(messageguid=guid_of("two")).update(messageguid=guid_of("two").lower())

    @pytest.mark.parametrize("name", ["one", "two"])
    @pytest.mark.parametrize("spelled", [str.upper, str.lower])
    def test_are_found_by_its_guid_however_it_is_written(self, support, dispatched, name, spelled):
        guid = spelled(guid_of(name))
        (row,) = support.get(f"{BASE}dispatches/?messageguid={guid}").json()["results"]
        assert row["messageguid"].upper() == guid_of(name)

    def test_are_narrowed_by_the_other_filters_too(self, support, dispatched):
        address = f"{BASE}dispatches/?messageguid={guid_of('one')}"
        assert len(support.get(f"{address}&outcome=done&service=W1&osid=1").json()["results"]) == 1
        for other in ("outcome=failed", "service=W2", "osid=2", "queuename=EIGENE"):
            assert support.get(f"{address}&{other}").json()["results"] == []

    @pytest.mark.parametrize("guid", ["x", "", "{0}", "0" * 31, "0" * 33, "g" * 32])
    def test_are_not_searched_for_by_invalid_guid(self, support, guid):
        body = problem(support.get(f"{BASE}dispatches/?messageguid={guid}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, "messageguid")
