"""The pages of the queues with numbers that all differ."""

from messages_app.core.charts.bars import bars, shares, spark
from messages_app.core.pages import ReasonForm
from messages_app.cp_queue.models import CpPause
from messages_app.cp_queue.selectors import Preview, QueueCounts
from messages_app.cp_queue.selectors.throughput import OfType, Pace
from messages_app.cp_queue.states import Queue
from messages_app.cp_queue.views.queues import Line
from tests.messages_app.cp_queue.views.shown_rows import counts, markup_of, moment, service, show

PACE = Pace(dispatched=[1, 2, 4], failed=[0, 0, 3], known=2, lost=[3, 6])
IDLE = Pace(dispatched=[], failed=[], known=0, lost=[])


def line(found: QueueCounts, *, pace: Pace = PACE, about: Queue | None = None, age: int = 33) -> Line:
    parts = [("free", found.objects), ("skipped", found.surplus), ("reserved", found.reserved)]
    return Line(
        counts=found,
        about=about,
        shares=shares(parts, whole=sum(count for _, count in parts)) if found.total else [],
        age=age,
        pace=pace,
        spark=spark(pace.dispatched, marked=pace.failed, unknown=1),
        lost=spark(pace.lost),
    )


EMPTY = counts(
    70,
    total=0,
    free=0,
    reserved=0,
    deferred=0,
    parked=0,
    objects=0,
    surplus=0,
    oldest_created=None,
    oldest_age=None,
    per_minute=0.0,
    retried=0,
    failed=0,
    lost=0,
)
ABOUT = Queue(consumer="render", purpose="Renders documents")


class TestQueues:
    def test_show_all_their_numbers(self):
        full = line(counts(30, paused_at=moment(1)), about=ABOUT)
        lines = show(
            "queues", lines=[full, line(EMPTY, pace=IDLE)], dead=[], next="after=Q70", is_first=False
        )
        assert lines == [
            "Queues",
            "{free} distinct objects",
            "{skipped} duplicates, coalesced at pickup",
            "{reserved} reserved",
            "[Create messages](/cp-queue/create/)",
            "Queues by name",
            (
                "Queue | Total | Free | Objects | Duplicates | Reserved | Oldest | Dispatches, last hour | "
                "Lost pickups"
            ),
            (
                "[Q30](/cp-queue/queue/?queuename=Q30) (title: Services get no messages from it) paused "
                "Renders documents | [31](/cp-queue/messages/?queuename=Q30) (svg viewbox=0 0 100 1) "
                "{free} (rect x=0.0 width=33.33 height=1) {skipped} (rect x=33.33 width=34.31 height=1) "
                "{reserved} (rect x=67.65 width=32.35 height=1) | "
                "[32](/cp-queue/messages/?queuename=Q30&state=free) [11 "
                "deferred](/cp-queue/messages/?queuename=Q30&state=deferred) [13 "
                "parked](/cp-queue/messages/?queuename=Q30&state=parked) | 34 | 35 | "
                "[33](/cp-queue/messages/?queuename=Q30&state=reserved) | "
                "[@2026-11-02T12:30:00Z](/cp-queue/messages/?queuename=Q30&state=free&ordering=created) "
                "(svg viewbox=0 0 100 1) {free} (rect width=33 height=1) | (svg viewbox=0 0 30 100) (rect "
                "width=10 height=100) {done} (rect x=0 y=70.5 width=8 height=29.5) {done} (rect x=10 "
                "y=47.0 width=8 height=53.0) {done} (rect x=20 y=0.0 width=8 height=100.0) {failed} (rect "
                "x=20 y=23.5 width=8 height=76.5) [7](/cp-queue/dispatches/?queuename=Q30&at_from=-1h) · "
                "30.5/min now · 36 retried · [3 "
                "failed](/cp-queue/dispatches/?queuename=Q30&outcome=failed&at_from=-1h) | 38"
            ),
            (
                "[Q70](/cp-queue/queue/?queuename=Q70) (title: Not documented by the vendor) unknown | 0 | "
                "0 | 0 | 0 | 0 | – | – | 0"
            ),
            "(label: Pages) [First page](/cp-queue/) [Next page](?after=Q70)",
            (
                "Counts are capped at 1 000. The newest message is picked up first, so old messages can "
                "wait forever: watch Oldest. Lost pickups: another service was faster, in the last hour. "
                "Retried and failed: in the last 5 min."
            ),
        ]

    def test_mark_what_waits_for_long(self):
        def state_of_age(**columns: object) -> list[str]:
            (row,) = [
                words
                for words in show("queues", lines=[line(counts(30, **columns))])
                if words.startswith("[Q30]")
            ]
            return row.split(" | ")[6:7]

        assert state_of_age(oldest_age=3_600.0) == [
            (
                "[@2026-11-02T12:30:00Z](/cp-queue/messages/?queuename=Q30&state=free&ordering=created) "
                "(svg viewbox=0 0 100 1) {free} (rect width=33 height=1)"
            ),
        ]
        assert state_of_age(oldest_age=3_601.0) == [
            (
                "[@2026-11-02T12:30:00Z](/cp-queue/messages/?queuename=Q30&state=free&ordering=created) "
                "(svg viewbox=0 0 100 1) {deferred} (rect width=33 height=1)"
            ),
        ]
        assert state_of_age(oldest_age=86_400.0) == [
            (
                "[@2026-11-02T12:30:00Z](/cp-queue/messages/?queuename=Q30&state=free&ordering=created) "
                "(svg viewbox=0 0 100 1) {deferred} (rect width=33 height=1)"
            ),
        ]
        assert state_of_age(oldest_age=86_401.0, is_from_future=True) == [
            (
                "[@2026-11-02T12:30:00Z](/cp-queue/messages/?queuename=Q30&state=free&ordering=created) "
                "(svg viewbox=0 0 100 1) {failed} (rect width=33 height=1) (title: A message was created "
                "in the future: it goes before all others until then.) created in the future"
            ),
        ]

    def test_leave_out_what_is_zero(self):
        calm = counts(30, deferred=0, parked=0, retried=0, is_exact=False)
        (row,) = [
            words
            for words in show(
                "queues", lines=[line(calm, pace=Pace(dispatched=[7], failed=[0], known=1, lost=[]))]
            )
            if words.startswith("[Q30]")
        ]
        assert row == (
            "[Q30](/cp-queue/queue/?queuename=Q30) (title: Not documented by the vendor) unknown | [> "
            "31](/cp-queue/messages/?queuename=Q30) (svg viewbox=0 0 100 1) {free} (rect x=0.0 width=33.33 "
            "height=1) {skipped} (rect x=33.33 width=34.31 height=1) {reserved} (rect x=67.65 width=32.35 "
            "height=1) | [56](/cp-queue/messages/?queuename=Q30&state=free) | 34 | 35 | "
            "[33](/cp-queue/messages/?queuename=Q30&state=reserved) | "
            "[@2026-11-02T12:30:00Z](/cp-queue/messages/?queuename=Q30&state=free&ordering=created) (svg "
            "viewbox=0 0 100 1) {free} (rect width=33 height=1) | (svg viewbox=0 0 10 100) (rect width=10 "
            "height=100) {done} (rect x=0 y=0.0 width=8 height=100.0) "
            "[7](/cp-queue/dispatches/?queuename=Q30&at_from=-1h) · 30.5/min now | 38"
        )
        for name in ("deferred", "parked"):
            lines = show("queues", lines=[line(counts(30, **{name: 0}))])
            assert f" {name}](" not in str(lines)

    def test_lead_to_the_first_and_the_next_page(self):
        pages = {"is_first": True, "next": "after=Q1"}
        assert show("queues", lines=[], **pages)[-2] == "(label: Pages) [Next page](?after=Q1)"
        pages = {"is_first": False, "next": ""}
        assert show("queues", lines=[], **pages)[-2] == "(label: Pages) [First page](/cp-queue/)"
        assert show("queues", lines=[], is_first=True, next="")[-2].startswith("Queue | Total")

    def test_offer_creation_only_to_users_who_may_steer(self):
        assert "Create messages" not in str(show("queues", lines=[], may_steer=False))
        assert show("queues", lines=[])[4] == "[Create messages](/cp-queue/create/)"


def show_queue(found: QueueCounts, *, block: str = "cp_content", **values: object) -> list[str]:
    context = {
        "line": line(found, about=ABOUT),
        "pause": None,
        "services": [service(60), service(61, reserved=0, is_probably_dead=True)],
        "next_pickup": Preview(
            guid="ABCDEFGHIJ",
            queue="Q30",
            object_id=81,
            object_type=82,
            created=moment(1),
            collapsed=83,
            held_by=[],
        ),
        "types": list(
            zip(
                [
                    OfType(object_type=65_541, messages=91, reserved=92),
                    OfType(object_type=7, messages=93, reserved=94),
                ],
                bars([("a", 91, ""), ("b", 93, "")]),
                strict=True,
            )
        ),
        "form": ReasonForm(),
    }
    return show("queue", block=block, **context | values)


class TestQueue:
    def test_shows_all_its_numbers(self):
        assert show_queue(counts(30), block="cp_words") == ["Renders documents · render"]
        assert show_queue(counts(30)) == [
            "[Queues](/cp-queue/)",
            "Current contents",
            "(svg viewbox=0 0 100 1)",
            "{free} (rect x=0.0 width=33.33 height=1)",
            "{skipped} (rect x=33.33 width=34.31 height=1)",
            "{reserved} (rect x=67.65 width=32.35 height=1)",
            "Total: [31](/cp-queue/messages/?queuename=Q30)",
            "Free: [32](/cp-queue/messages/?queuename=Q30&state=free)",
            "34 objects, including messages that wait after a retry",
            "Duplicates (coalesced at pickup): 35",
            "Reserved: [33](/cp-queue/messages/?queuename=Q30&state=reserved)",
            (
                "Waiting after a retry: [11](/cp-queue/messages/?queuename=Q30&state=deferred), [13 "
                "parked](/cp-queue/messages/?queuename=Q30&state=parked)"
            ),
            (
                "Oldest waiting: "
                "[@2026-11-02T12:30:00Z](/cp-queue/messages/?queuename=Q30&state=free&ordering=created), "
                "since 2026-11-02 12:30:00 UTC"
            ),
            (
                "Next pickup: [ABCDEFGH…](/cp-queue/messages/ABCDEFGHIJ/) of object "
                "[81](/cp-queue/objects/81/), 83 coalesced"
            ),
            "Dispatches",
            "last hour, per 5 min",
            "(svg viewbox=0 0 30 100)",
            "(rect width=10 height=100)",
            "{done} (rect x=0 y=70.5 width=8 height=29.5)",
            "{done} (rect x=10 y=47.0 width=8 height=53.0)",
            "{done} (rect x=20 y=0.0 width=8 height=100.0)",
            "{failed} (rect x=20 y=23.5 width=8 height=76.5)",
            "[7](/cp-queue/dispatches/?queuename=Q30&at_from=-1h) in total, peak 4 per 5 min; now 30.5/min",
            "Lost pickups",
            "last day, per hour",
            "(svg viewbox=0 0 20 100)",
            "{deferred} (rect x=0 y=47.0 width=8 height=53.0)",
            "{deferred} (rect x=10 y=0.0 width=8 height=100.0)",
            "9 in total: another service was faster",
            "By object type",
            "Messages of this queue by object type, most messages first",
            "Object type | Messages | Chart | Reserved",
            (
                "65541 main type 1, sub type 5 | 91 | (svg viewbox=0 0 100 1) {free} (rect width=97.85 "
                "height=1) | 92"
            ),
            (
                "7 main type 0, sub type 7 | 93 | (svg viewbox=0 0 100 1) {free} (rect width=100.0 "
                "height=1) | 94"
            ),
            "Recent services",
            "[W60](/cp-queue/messages/?lock_service=W60) polled @2026-11-02T13:00:00Z ago, holds 61",
            "[W61](/cp-queue/messages/?lock_service=W61) polled @2026-11-02T13:01:00Z ago probably dead",
            "Pause queue",
            "(/cp-queue/queue/pause/)",
            (
                "56 free messages would wait until the queue is resumed. 33 reserved messages stay "
                "reserved. Services see an empty queue."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Pause queue",
        ]

    def test_shows_an_empty_queue(self):
        lines = show_queue(EMPTY, line=line(EMPTY, pace=IDLE), next_pickup=None, types=[], services=[])
        assert show_queue(EMPTY, line=line(EMPTY, pace=IDLE), block="cp_words") == ["Not a vendor queue"]
        assert lines[2:10] == [
            "Total: [0](/cp-queue/messages/?queuename=Q70)",
            "Free: [0](/cp-queue/messages/?queuename=Q70&state=free)",
            "0 objects, including messages that wait after a retry",
            "Duplicates (coalesced at pickup): 0",
            "Reserved: [0](/cp-queue/messages/?queuename=Q70&state=reserved)",
            (
                "Waiting after a retry: [0](/cp-queue/messages/?queuename=Q70&state=deferred), [0 "
                "parked](/cp-queue/messages/?queuename=Q70&state=parked)"
            ),
            "Oldest waiting: –",
            "Next pickup: –",
        ]
        assert "By object type" not in lines
        assert "None: no service is polling this queue." in lines

    def test_shows_a_paused_queue(self):
        pause = CpPause(paused_at=moment(5), actor="ana", reason="maintenance")
        paused = counts(30, paused_at=moment(5), is_exact=False)
        lines = show_queue(paused, pause=pause)
        assert lines[:6] == [
            "[Queues](/cp-queue/)",
            (
                "Paused since 2026-11-02 12:05:00 UTC by ana: maintenance. Services get no messages from "
                "it. Reserved messages stay reserved."
            ),
            "(/cp-queue/queue/resume/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Resume queue",
        ]
        assert "Next pickup: none while paused" in lines
        assert lines[lines.index("Current contents") + 5].startswith("Total: [more than 31](")
        assert "Pause queue" not in lines
        nameless = CpPause(paused_at=moment(5), actor="ana", reason="")
        readers = show_queue(paused, pause=nameless, may_steer=False)
        assert readers[1] == (
            "Paused since 2026-11-02 12:05:00 UTC by ana. Services get no messages from it. Reserved "
            "messages stay reserved."
        )
        assert "Resume queue" not in readers

    def test_shows_a_pickup_that_coalesces_nothing(self):
        alone = Preview(
            guid="ABCDEFGHIJ",
            queue="Q30",
            object_id=81,
            object_type=82,
            created=moment(1),
            collapsed=0,
            held_by=[],
        )
        lines = show_queue(counts(30), next_pickup=alone)
        assert any(words.endswith("of object [81](/cp-queue/objects/81/)") for words in lines)

    def test_counts_one_as_one(self):
        one = counts(30, free=1, reserved=1, objects=1, deferred=0, parked=0)
        lines = show_queue(one)
        assert lines[-4] == (
            "1 free message would wait until the queue is resumed. 1 reserved message stays reserved. "
            "Services see an empty queue."
        )
        assert any(words.startswith("1 object, including") for words in lines)

    def test_opens_the_form_that_was_refused(self):
        form = ReasonForm({"reason": ""})
        context = {"line": line(counts(30)), "form": form}
        assert '<details class="panel" open>' in markup_of("queue", **context)
        assert '<details class="panel">' in markup_of("queue", **context | {"form": ReasonForm()})
        assert "Pause queue" not in markup_of("queue", **context | {"may_steer": False})
