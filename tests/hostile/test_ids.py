"""Messages whose ids are at the ends of bigint, negative or zero are treated like the others."""

import pytest

from messages_app.core.filters.values import parse_id
from messages_app.erasure.replay import keys_again
from messages_app.jobs.models import Job
from messages_app.messages.detail.children import children_page
from messages_app.messages.filters.message_filter import FILTERS
from messages_app.messages.models import ArchiveMessage, Message, MessageEvent
from messages_app.messages.timeline.history_gaps import mend_history
from tests.hostile.rows import LONG_NUMBERS
from tests.hostile.test_paging import below_base, own_schema
from tests.hostile.world import new_keys, store_hub_rows
from tests.messages_app.erasure.runs import run
from tests.messages_app.messages.detail.rows import make_event
from tests.support.api_client import caller
from tests.support.factories import NOON, make_archived_message, make_message
from tests.support.ledgers import store_decided_chunk

pytestmark = pytest.mark.django_db(transaction=True)

IDS = sorted(LONG_NUMBERS)
PARTS = {"FAILED": 0, "POSTPONED": 2, "OK": 4}


def test_their_history_is_mended():
    for msg_id in IDS:
        make_event(make_message(msg_id=msg_id, state="OK"), "PROCESSING", "WAITING", at=NOON)
    assert mend_history() == len(IDS)
    for msg_id in IDS:
        assert MessageEvent.objects.filter(msg_id=msg_id).latest("event_id").to_state == "OK"
    assert mend_history() == 0


@pytest.mark.parametrize("make", [make_message, make_archived_message])
@pytest.mark.parametrize("state", PARTS)
def test_they_are_among_the_children_of_a_message(make, state, monkeypatch):
    parent = make_message()
    for msg_id in IDS:
        make(msg_id=msg_id, parent_msg_id=parent.pk, state=state)
    others = [make_message(parent_msg_id=parent.pk, state=other).pk for other in PARTS]
    monkeypatch.setattr("messages_app.messages.detail.children.PAGE", 2)
    page, listed = children_page(parent.pk), []
    while page is not None:
        listed.append([branch.relative.msg_id for branch in page.below])
        page = children_page(parent.pk, cursor=page.cursor) if page.cursor else None
    every = [msg_id for part in listed for msg_id in part]
    assert sorted(every) == sorted([*IDS, *others])
    place = every.index(IDS[0])
    assert [msg_id for msg_id in every[place:] if msg_id in IDS] == IDS
    assert [len(part) for part in listed] == [2, 2, 2, 2]


def test_every_filter_by_an_id_takes_them():
    reader = caller("admin")
    names = [name for name, one in FILTERS.items() if one.parse is parse_id]
    assert {"parent_msg_id", "failure_group", "incident"} <= {*names}
    answers = {
        (name, msg_id): reader.get(f"messages/?{name}={msg_id}").status_code
        for name in names
        for msg_id in IDS
    }
    assert {asked: status for asked, status in answers.items() if status != 200} == {}


def test_a_job_lists_them_once_in_both_directions():
    job = Job.objects.create(kind="cancel", state="done", reason="r", attempt=1, chunk_count=2)
    for chunk_no, ids in enumerate([IDS, [7, 8]]):
        store_decided_chunk(job, chunk_no, dict.fromkeys(ids, "done"))
    reader = caller("admin")
    pages = [reader.get(f"jobs/{job.pk}/items/?outcome=done&page_size=2").json()]
    while pages[-1]["next"]:
        pages.append(reader.get(below_base(pages[-1]["next"])).json())
    back = [pages[-1]]
    while back[-1]["previous"]:
        back.append(reader.get(below_base(back[-1]["previous"])).json())
    assert [row["msg_id"] for page in pages for row in page["results"]] == [*IDS, 7, 8]
    assert [row["msg_id"] for page in reversed(back) for row in page["results"]] == [*IDS, 7, 8]


class TestErasure:
    @pytest.fixture(autouse=True)
    def erased_list(self, settings, tmp_path):
        settings.ERASED_LIST = tmp_path / "erased.jsonl"
        return settings.ERASED_LIST

    @pytest.mark.parametrize("model", [Message, ArchiveMessage])
    def test_erases_them_and_leaves_the_rows_next_to_them(self, model, erased_list):
        for prefix in ("", "archive_"):
            store_hub_rows(new_keys(), schema=own_schema(), prefix=prefix)
        make = make_message if model is Message else make_archived_message
        for each in (Message, ArchiveMessage):
            each.objects.filter(pk__in=IDS).delete()
            # A child that is not final would keep its parent.
            each.objects.update(parent_msg_id=None)
        for msg_id in IDS:
            make(msg_id=msg_id, object_id="C-4711", state="OK")
        others = model.objects.exclude(pk__in=IDS).count()
        run("C-4711")
        assert not model.objects.filter(object_id="C-4711").exists()
        assert model.objects.count() == others > 20
        # As after a backup was restored.
        make(msg_id=IDS[0], object_id="C-4711", state="OK")
        assert [key.value for key in keys_again(erased_list)] == ["C-4711"]

    def test_reads_them_page_by_page(self, monkeypatch):
        monkeypatch.setattr("messages_app.erasure.messages._PAGE", 1)
        for msg_id in IDS:
            make_message(msg_id=msg_id, object_id="C-4711", state="OK")
        run("C-4711")
        assert not Message.objects.exists()
