import pytest

from messages_app.cp_queue import selectors
from messages_app.cp_queue.models import CpDispatch, CpService
from messages_app.demo.cp_queue import DEAD, INDEXER, STOPPED
from messages_app.demo.loader import load_demo

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

    def test_reports_a_service_that_died(self):
        CpService.objects.create(service=INDEXER, queues="FULLTEXTIDX")  # at work before the demo is loaded
        load()
        states = {one.service: one for one in selectors.service_states()}
        assert [name for name, one in states.items() if one.is_probably_dead] == [DEAD]
        assert states[DEAD].longest_seconds > 3_600
        assert states[STOPPED].reserved == 0
