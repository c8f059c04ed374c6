"""A preview counts families like the plan of the job: completely, or not at all."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from messages_app.jobs.preview.quick import preview_job
from messages_app.jobs.services.create import create_job
from messages_app.messages.models import ArchiveMessage, Message
from tests.messages_app.jobs.requested import request_of
from tests.support.factories import make_archived_message, make_message
from tests.support.jobs import WHY, work
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

OLD = datetime.now(UTC) - timedelta(days=100)
YOUNG = datetime.now(UTC) - timedelta(days=1)


def old(parent: Message | int | None = None, **columns: object) -> Message:
    parent_id = parent.pk if isinstance(parent, Message) else parent
    shape = {"state": "OK", "receive_timestamp": OLD, "last_process_timestamp": OLD}
    return make_message(**{**shape, "parent_msg_id": parent_id, **columns})


def archived(parent: ArchiveMessage | int | None = None, **columns: object) -> ArchiveMessage:
    parent_id = parent.pk if isinstance(parent, ArchiveMessage) else parent
    return make_archived_message(parent_msg_id=parent_id, **columns)


def preview(kind: str, filter: dict[str, object], **options: object) -> SimpleNamespace:
    return SimpleNamespace(**preview_job(request_of(kind, filter, **options)))


def preview_of_archive(**filter: object) -> SimpleNamespace:
    return preview("archive", filter, older_than_months=2)


class TestArchive:
    def test_keeps_a_family_for_a_sibling_and_for_a_grandchild(self):
        head = old()
        old(head)
        child = old(head)
        make_message(state="WAITING", parent_msg_id=child.pk)
        alone = old()
        found = preview_of_archive()
        assert (found.planned, found.to_do, found.skipped) == (4, 1, {"family_not_final": 3})
        assert found.samples == [alone.pk]

    def test_reports_a_family_as_too_young_only_if_all_members_are_final(self):
        young, mixed = old(), old()
        old(young, last_process_timestamp=YOUNG)
        old(mixed, last_process_timestamp=YOUNG)
        make_message(state="NEW", parent_msg_id=mixed.pk)
        assert preview_of_archive().skipped == {"family_too_young": 1, "family_not_final": 1}

    def test_keeps_siblings_without_a_parent_together(self):
        gone = 9_000_001
        old(gone)
        make_message(state="NEW", parent_msg_id=gone)
        assert preview_of_archive().skipped == {"family_not_final": 1}

    def test_leaves_parents_that_form_a_cycle(self):
        first = old()
        second = old(first)
        Message.objects.filter(pk=first.pk).update(parent_msg_id=second.pk)
        assert preview_of_archive().skipped == {"parent_cycle": 2}

    def test_counts_relatives_of_the_messages_of_a_filter(self):
        head = old(service_name="orders")
        for _ in range(3):
            old(head, service_name="billing")
        old(service_name="billing")
        found = preview_of_archive(service_name="orders")
        assert (found.planned, found.to_do) == (4, 4)
        assert preview_of_archive(service_name="billing").to_do == 5

    def test_omits_messages_of_a_filter_that_are_not_final(self):
        old(service_name="orders")
        make_message(state="NEW", service_name="orders", receive_timestamp=OLD)
        found = preview_of_archive(service_name="orders")
        assert (found.planned, found.to_do, found.skipped) == (1, 1, {})

    def test_counts_only_the_young_messages_of_the_filter(self):
        old(service_name="orders", last_process_timestamp=YOUNG)
        old(service_name="billing", last_process_timestamp=YOUNG)
        found = preview_of_archive(service_name="orders")
        assert (found.kept, found.kept_between) == ({"not_old_enough": 1}, {"not_old_enough": (1, 1)})


class TestRestore:
    def test_restores_whole_families(self):
        head = archived(service_name="orders")
        child = archived(head)
        archived(child)
        archived()
        assert preview("restore", {"service_name": "orders"}).to_do == 3

    def test_skips_a_family_with_a_member_that_cannot_be_restored(self):
        head = archived()
        taken = archived(head)
        make_message(msg_id=taken.pk)
        free = archived()
        found = preview("restore", {"state": "OK"})
        assert found.skipped == {"msg_id_live": 1, "family_stays": 1}
        assert found.samples == [free.pk]

    def test_does_not_group_siblings_whose_parent_is_not_archived(self):
        archived(9_000_001, service_name="orders")
        archived(9_000_001)
        assert preview("restore", {"service_name": "orders"}).to_do == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spark_remote")
@pytest.mark.parametrize("filter", quick_first([{"service_name": "orders"}, {}]))
def test_agrees_with_the_frozen_plan(filter):
    head = old(service_name="orders")
    for _ in range(3):
        old(head)
    kept = old(service_name="orders")
    old(kept, last_process_timestamp=YOUNG)
    circle = old(service_name="orders")
    Message.objects.filter(pk=circle.pk).update(parent_msg_id=old(circle).pk)
    gone = 9_000_001
    old(gone, service_name="orders")
    make_message(state="PROCESSING", parent_msg_id=gone)
    old(service_name="orders")

    found = preview_of_archive(**filter)
    job = create_job(
        kind="archive", filter=filter, options={"older_than_months": 2}, dry_run=False, user=None, **WHY
    )
    progress = work(job)

    assert (found.planned, found.to_do) == (progress.planned, progress.done)
    assert {f"skipped:{reason}": count for reason, count in found.skipped.items()} == {
        outcome: count for outcome, count in progress.outcomes if outcome != "done"
    }
