import pytest

from messages_app.cp_queue import selectors
from messages_app.cp_queue.models import CpDispatch, CpMessage, CpService
from messages_app.demo.cp_queue import DEAD, INDEXER, STOPPED, create_work
from messages_app.demo.data_hub import object_of
from messages_app.demo.hub import attempt_end
from messages_app.demo.loader import load_demo
from tests.messages_app.demo.hub.playing import make_stage
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


def load(seed: int = 1) -> None:
    load_demo(count=500, seed=seed, on_progress=lambda done: None)


class TestLoadQueue:
    def test_leaves_something_to_see_on_every_page(self):
        load()
        counts = {one.name: one for one in selectors.queue_counts()}
        pages = counts["PAGECOUNT"]
        assert pages.free > pages.objects > 0
        assert pages.oldest_age > 2 * 86_400
        assert (counts["RENDITION"].deferred, counts["RENDITION"].parked) == (2, 1)
        assert counts["FULLTEXTDOC"].reserved == 5
        assert set(CpDispatch.objects.values_list("outcome", flat=True)) == {"done", "failed", "deferred"}
        times = list(CpDispatch.objects.order_by("pk").values_list("at", flat=True))
        assert times == sorted(times)

    @pytest.mark.slow
    def test_shows_a_service_that_died(self):
        CpService.objects.create(service=INDEXER, queues="FULLTEXTIDX")  # at work before the demo is loaded
        load()
        states = {one.service: one for one in selectors.service_states()}
        assert [name for name, one in states.items() if one.is_probably_dead] == [DEAD]
        assert states[DEAD].longest_seconds > 3_600
        assert states[STOPPED].reserved == 0


class TestObjectOf:
    def test_numbers_the_objects_of_documents_by_their_kind(self):
        assert object_of("order", "OL000017") == (100_000_017, 65_536)
        assert object_of("billing", "IL000017") == (200_000_017, 131_072)
        assert object_of("order", None) is object_of("order", "X") is object_of("customer", "C1") is None


class TestCreateWork:
    def test_has_all_documents_rendered_and_those_without_records_indexed(self):
        create_work(make_message(service_name="order", object_id="OL000017"))
        create_work(make_message(service_name="metering", object_id="ML000018"))
        found = CpMessage.objects.order_by("osid", "queuename").values_list("queuename", "osid")
        assert list(found) == [
            ("RENDITION", 100_000_017),
            ("FULLTEXTIDX", 400_000_018),
            ("RENDITION", 400_000_018),
        ]

    def test_makes_none_for_children_and_for_an_invalid_document(self):
        parent = make_message(service_name="customer", object_id="C1")
        create_work(parent)
        create_work(make_message(service_name="order", object_id="OL1", parent_msg_id=parent.pk))
        assert not CpMessage.objects.exists()


class TestSucceed:
    @pytest.mark.parametrize(("is_gentle", "left"), [(True, 1), (False, 0)])
    def test_creates_work_only_in_a_gentle_hub(self, is_gentle, left):
        message = make_message(state="PROCESSING", service_name="order", object_id="OL000017")
        for _ in attempt_end.succeed_message(make_stage(is_gentle=is_gentle), message):
            pass
        message.refresh_from_db()
        assert (message.state, CpMessage.objects.count()) == ("OK", left)
