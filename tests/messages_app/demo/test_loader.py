from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.db.models import F, Q

from messages_app.core.clock import database_clock
from messages_app.dashboard import message_tiles
from messages_app.dashboard.guide import guide_for
from messages_app.dashboard.snapshot import Snapshot
from messages_app.demo.loader import NotEmpty, load_demo, make_batches
from messages_app.demo.rows import Lines, Rows
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureMember
from messages_app.messages.first_steps import FirstSteps, Loading, first_steps
from messages_app.messages.metrics.failing import failing_now
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import (
    ExternalCall,
    Funnel,
    Message,
    MessageEvent,
    Request,
    Response,
)
from messages_app.shared.message_states import FINAL_STATES, ExternalCallState, MessageState
from tests.support.factories import make_archived_message, make_message, make_user
from tests.support.fillings import undone_filling
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, 4, 30, tzinfo=UTC).timestamp()


def load(count: int, *, seed: int = 1) -> list[int]:
    progress: list[int] = []
    load_demo(count=count, seed=seed, on_progress=progress.append)
    return progress


@pytest.fixture(scope="class")
def demo(django_db_setup, django_db_blocker) -> Iterator[None]:
    """Load a demo once for all that read it."""
    with undone_filling(django_db_blocker):
        load(1_500)
        yield


class TestShownProgress:
    def test_is_seen_by_other_sessions_until_the_transaction_ends(self, transactional_db):
        seen: list[Loading | None] = []

        def look(done: int) -> None:
            with ThreadPoolExecutor(max_workers=1) as other:
                seen.append(other.submit(read_first_steps).result().loading)

        def read_first_steps() -> FirstSteps:
            try:
                return first_steps()
            finally:
                connection.close()

        with pytest.raises(Interrupted):
            load_demo(count=4_500, seed=1, on_progress=lambda done: look(done) if done < 4_000 else stop())
        assert [(one.done >= 2_000, one.total) for one in seen if one][-1] == (True, 4_500)
        assert (first_steps().loading, first_steps().has_messages) == (None, False)


class Interrupted(Exception):
    """The load is interrupted."""


def stop() -> None:
    raise Interrupted


class TestBatches:
    def made(self, *, seed: int = 1, count: int = 300) -> list[tuple[int, Lines]]:
        return list(make_batches(Rows(first_id=1), count=count, seed=seed, now=NOW))

    def test_are_the_same_for_the_same_seed_and_present(self):
        assert self.made() == self.made()
        assert self.made() != self.made(seed=2)

    def test_are_small_however_large_the_demo(self):
        made = self.made(count=7_000)
        assert len(made) == 4
        assert made[-1][0] == 7_000
        assert sum(len(tables["message"]) for _, tables in made) == 7_000


class TestLoadDemo:
    @pytest.mark.parametrize("count", quick_first([30, 1, 2_001]))
    def test_loads_exactly_as_many_messages(self, count):
        progress = load(count)
        assert Message.objects.count() == count
        assert progress == sorted(progress)
        assert progress[-1] == count

    @pytest.mark.slow
    def test_has_every_state_however_small(self):
        load(300)
        assert set(Message.objects.values_list("state", flat=True)) == set(MessageState)

    def test_refuses_a_database_with_a_message(self):
        make_message()
        with pytest.raises(NotEmpty, match="table message"):
            load(10)
        assert Message.objects.count() == 1

    def test_refuses_a_database_with_an_archive(self):
        make_archived_message()
        with pytest.raises(NotEmpty, match="table archive_message"):
            load(10)

    @pytest.mark.slow
    def test_refuses_to_run_twice(self):
        load(10)
        with pytest.raises(NotEmpty):
            load(10)


@pytest.mark.usefixtures("demo")
class TestLoadedDemo:
    def test_leaves_the_sequence_past_every_id(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT nextval('hibernate_sequence')")
            fresh = cursor.fetchone()[0]
        last = max(
            Message.objects.latest("msg_id").msg_id,
            Response.objects.latest("res_id").res_id,
            Request.objects.latest("req_id").req_id,
            ExternalCall.objects.latest("call_id").call_id,
        )
        assert fresh > last

    def test_points_to_its_outage_until_it_is_repaired(self):
        """By the strip and the groups of the first page, however small the demo is."""
        ana = make_user("operator")
        fold_changes(), group_new_failures()
        groups = message_tiles.read_groups(Snapshot(now=database_clock(), window="24h"))["groups"]
        guide = guide_for(ana, groups, failing_now())
        assert guide.group == groups[0]
        assert "billing.intra.example" in groups[0]["title"]
        assert groups[0]["hours_3"] > 20
        assert groups[0]["failing_now"] > 30
        Message.objects.filter(
            state=MessageState.FAILED,
            pk__in=FailureMember.objects.filter(group_id=groups[0]["group_id"]).values("pk"),
        ).update(state=MessageState.OK)
        fold_changes()
        later = message_tiles.read_groups(Snapshot(now=database_clock(), window="24h"))["groups"]
        assert later[0]["group_id"] != groups[0]["group_id"]
        assert guide_for(ana, later, failing_now()).group["group_id"] != groups[0]["group_id"]

    def test_has_messages_to_archive(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM message WHERE state = ANY (%s)"
                " AND coalesce(last_process_timestamp, receive_timestamp) < now() - interval '2 months'",
                [sorted(FINAL_STATES)],
            )
            assert cursor.fetchone()[0] > 0.4 * 1_500

    def test_has_no_time_in_the_future(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM message WHERE greatest(msg_timestamp, receive_timestamp,"
                " start_process_timestamp, last_process_timestamp) > clock_timestamp()"
            )
            assert cursor.fetchone()[0] == 0

    def test_has_children_that_copy_their_parent(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*), count(*) FILTER (WHERE c.msg_timestamp = p.msg_timestamp"
                " AND c.receive_timestamp = p.receive_timestamp AND c.source_system = p.source_system"
                " AND c.process_id IS NOT DISTINCT FROM p.process_id AND c.envelope IS NULL"
                " AND c.correlation_id LIKE p.correlation_id || '\\_%' AND c.msg_id > p.msg_id)"
                " FROM message c JOIN message p ON p.msg_id = c.parent_msg_id"
            )
            children, right = cursor.fetchone()
        assert children > 150
        assert right == children

    def test_has_no_ok_parent_with_an_unfinished_child(self):
        parents = Message.objects.filter(state=MessageState.OK).values("msg_id")
        children = Message.objects.filter(parent_msg_id__in=parents)
        assert set(children.values_list("state", flat=True)) == {MessageState.OK}

    def test_counts_failures_as_the_hub_does(self):
        failed = Message.objects.filter(state=MessageState.FAILED)
        assert set(failed.values_list("failed_count", flat=True)) == {1, 4}
        assert not failed.filter(Q(failed_error_code=None) | Q(failed_desc=None)).exists()
        assert not Message.objects.filter(failed_count=0).exclude(failed_error_code=None).exists()

    def test_has_an_order_chain_behind_one_failure(self):
        late = Message.objects.filter(failed_error_code="E121")
        value = Funnel.objects.filter(msg_id__in=late.values("msg_id")).values("funnel_value").distinct()
        chain = Message.objects.filter(
            msg_id__in=Funnel.objects.filter(funnel_value__in=value).values("msg_id")
        )
        assert chain.order_by("msg_timestamp").first().failed_error_code == "E102"
        assert all(chain.values_list("guaranteed_order", flat=True))

    def test_has_a_stuck_funnel(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT max(waiting) FROM (SELECT count(*) FILTER (WHERE m.state = 'POSTPONED') AS waiting"
                " FROM funnel f JOIN message m USING (msg_id) GROUP BY f.funnel_value"
                " HAVING bool_or(m.state = 'WAITING_FOR_RES')) AS stuck"
            )
            assert cursor.fetchone()[0] == 6

    def test_has_calls_requests_and_responses_of_all_kinds(self):
        states = set(ExternalCall.objects.values_list("state", flat=True))
        assert {ExternalCallState.OK, ExternalCallState.FAILED, ExternalCallState.PROCESSING} <= states
        assert ExternalCall.objects.filter(operation_name="confirmation", entity_id__isnull=False).exists()
        assert Request.objects.filter(msg_id=None).exists()
        assert Request.objects.exclude(
            req_id__in=Response.objects.exclude(req_id=None).values("req_id")
        ).exists()
        assert Response.objects.filter(req_id=None).exists()
        failed = Response.objects.filter(failed=True)
        assert failed.exists()
        assert not failed.filter(failed_reason=None).exists()
        assert not Response.objects.filter(failed=False).exclude(failed_reason=None).exists()

    def test_has_a_history_that_ends_in_the_current_state(self):
        latest = MessageEvent.objects.order_by("msg_id", "-event_id").distinct("msg_id")
        states = dict(Message.objects.values_list("msg_id", "state"))
        assert latest.count() > 50
        assert all(event.to_state == states[event.msg_id] for event in latest)
        assert not MessageEvent.objects.filter(from_state=F("to_state")).exists()
        assert not MessageEvent.objects.exclude(actor=None).exists()
