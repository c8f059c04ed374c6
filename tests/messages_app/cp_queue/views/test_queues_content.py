"""The pages of queues with numbers that all differ."""

from messages_app.core.charts.bars import Bar, make_shares
from messages_app.core.charts.sparklines import make_sparkline
from messages_app.core.reason_form import ReasonForm
from messages_app.cp_queue.models import CpPause
from messages_app.cp_queue.selectors import Preview, QueueCounts
from messages_app.cp_queue.selectors.throughput import OfType, Pace
from messages_app.cp_queue.states import QUEUES
from messages_app.cp_queue.views.queues import Line
from tests.messages_app.cp_queue.views.shown_queue import guid, moment, service, show


def counts(name: str = "RENDITION", **columns: object) -> QueueCounts:
    values = {
        "name": name,
        "is_known": True,
        "total": 1_100,
        "free": 3_128,
        "reserved": 1_012,
        "deferred": 1_013,
        "parked": 1_014,
        "objects": 1_015,
        "surplus": 1_016,
        "oldest_created": moment(17),
        "newest_created": moment(18),
        "oldest_age": 3_600.0,
        "is_from_future": False,
        "per_minute": 1.9,
        "retried": 1_020,
        "failed": 1_022,
        "lost": 1_023,
        "is_exact": True,
        "paused_at": None,
    }
    return QueueCounts(**values | columns)


EMPTY = {"total": 0, "free": 0, "reserved": 0, "deferred": 0, "parked": 0, "objects": 0, "surplus": 0}


def line(found: QueueCounts, *, is_busy: bool = True) -> Line:
    pace = Pace(dispatched=[0, 31, 32], failed=[0, 0, 13], read_slices=2, lost=[0, 14])
    if not is_busy:
        pace = Pace(dispatched=[0, 0, 0], failed=[0, 0, 0], read_slices=2, lost=[0, 0])
    return Line(
        counts=found,
        about=QUEUES.get(found.name),
        shares=make_shares([("free", 20), ("skipped", 30), ("reserved", 50)], whole=100)
        if found.total
        else [],
        pace=pace,
        spark=make_sparkline(pace.dispatched, marked=pace.failed, unknown=1),
        lost=make_sparkline(pace.lost),
    )


class TestQueues:
    def show(self, *lines: Line, **values: object) -> list[str]:
        shown = show("queues", **{"lines": lines, "dead": [], "next": "", "is_first": True} | values)
        start = shown.index("Queues by name")
        return shown[start + 1 :]

    def test_show_all_their_numbers(self):
        assert self.show(line(counts())) == [
            (
                "Queue | Total | Oldest | Free | Reserved | Duplicates | After a retry | "
                "Dispatches, last hour | Failed | Lost"
            ),
            (
                "[RENDITION](/cp-queue/queue/?queuename=RENDITION) Make a rendition of a document | "
                "(svg viewbox=0 0 100 1) {free} (rect x=0.0 width=20.0 height=1) {skipped} (rect "
                "x=20.0 width=30.0 height=1) {reserved} (rect x=50.0 width=50.0 height=1) [1 "
                "100](/cp-queue/messages/?queuename=RENDITION) | "
                "[@2026-11-02T12:17:00Z](/cp-queue/messages/?queuename=RENDITION&state=free&"
                "ordering=created) "
                "| [1 101](/cp-queue/messages/?queuename=RENDITION&state=free) | [1 "
                "012](/cp-queue/messages/?queuename=RENDITION&state=reserved) | 1 016 | [1 013 "
                "deferred](/cp-queue/messages/?queuename=RENDITION&state=deferred) [1 014 "
                "parked](/cp-queue/messages/?queuename=RENDITION&state=parked) | (svg viewbox=0 0 30 "
                "100) (rect width=10 height=100) {done} (rect x=10 y=2.9000000000000057 width=8 "
                "height=97.1) {done} (rect x=20 y=0.0 width=8 height=100.0) {failed} (rect x=20 "
                "y=55.8 width=8 height=44.2) "
                "[63](/cp-queue/dispatches/?queuename=RENDITION&at_from=-1h) · 1.9/min now | "
                "[13](/cp-queue/dispatches/?queuename=RENDITION&outcome=failed&at_from=-1h) | 1 023"
            ),
        ]

    def test_show_zeros_of_an_empty_queue(self):
        free = counts("OCR", oldest_created=None, lost=0, **EMPTY)
        assert self.show(line(free, is_busy=False))[1] == (
            "[OCR](/cp-queue/queue/?queuename=OCR) (title: Not documented by the vendor) unknown "
            "| 0 | | 0 | 0 | 0 | | | 0 | 0"
        )

    def test_show_what_is_special(self):
        paused = counts(paused_at=moment(5), is_exact=False, is_from_future=True, deferred=0, retried=0)
        assert self.show(line(paused))[1] == (
            "[RENDITION](/cp-queue/queue/?queuename=RENDITION) (title: Services get no messages "
            "from it) paused Make a rendition of a document | (svg viewbox=0 0 100 1) {free} "
            "(rect x=0.0 width=20.0 height=1) {skipped} (rect x=20.0 width=30.0 height=1) "
            "{reserved} (rect x=50.0 width=50.0 height=1) [> 1 "
            "100](/cp-queue/messages/?queuename=RENDITION) | "
            "[@2026-11-02T12:17:00Z](/cp-queue/messages/?queuename=RENDITION&state=free&ordering=created) "
            "(title: The creation time of a message is in the future. Until then it is ahead of "
            "all others.) created in the future | [2 "
            "114](/cp-queue/messages/?queuename=RENDITION&state=free) | [1 "
            "012](/cp-queue/messages/?queuename=RENDITION&state=reserved) | 1 016 | [1 014 "
            "parked](/cp-queue/messages/?queuename=RENDITION&state=parked) | (svg viewbox=0 0 30 "
            "100) (rect width=10 height=100) {done} (rect x=10 y=2.9000000000000057 width=8 "
            "height=97.1) {done} (rect x=20 y=0.0 width=8 height=100.0) {failed} (rect x=20 "
            "y=55.8 width=8 height=44.2) "
            "[63](/cp-queue/dispatches/?queuename=RENDITION&at_from=-1h) · 1.9/min now | "
            "[13](/cp-queue/dispatches/?queuename=RENDITION&outcome=failed&at_from=-1h) | 1 023"
        )

    def test_have_pages(self):
        assert self.show(line(counts()), next="after=X", is_first=False)[2:] == [
            "(label: Pages) [First page](/cp-queue/) [Next page](?after=X)",
        ]

    def test_name_services_that_are_dead(self):
        dead = [service(number, is_probably_dead=True) for number in range(1, 8)]
        dead[1] = service(2, reserved=1, longest_since=None, last_poll=None)
        shown = show("queues", lines=[], dead=dead, next="", is_first=True)
        assert shown[:2] == [
            (
                "[w-1](/cp-queue/messages/?lock_service=w-1), "
                "[w-2](/cp-queue/messages/?lock_service=w-2), "
                "[w-3](/cp-queue/messages/?lock_service=w-3) and 4 more are probably dead and hold "
                "messages. [View services](/cp-queue/services/)"
            ),
            "{free} distinct objects",
        ]
        reading = show("queues", lines=[], dead=dead[:1], next="", is_first=True, may_steer=False)
        assert reading[0] == (
            "[w-1](/cp-queue/messages/?lock_service=w-1) is probably dead and holds messages. "
            "[View services](/cp-queue/services/)"
        )
        steering = show("queues", lines=[], dead=dead[:1], next="", is_first=True, may_steer=True)
        assert steering[0].endswith(
            " [Reset its messages…](/cp-queue/reset/?service=w-1) [View services](/cp-queue/services/)"
        )


class TestQueue:
    def show(self, found: QueueCounts | None = None, **values: object) -> list[str]:
        context = {
            "line": line(found or counts()),
            "pause": None,
            "services": [service(1), service(2, reserved=0, is_probably_dead=True)],
            "next_pickup": Preview(
                guid=guid(61),
                queue="RENDITION",
                object_id=62,
                object_type=63,
                created=moment(64),
                collapsed=65,
                held_by=[],
            ),
            "types": list(
                zip(
                    [
                        OfType(object_type=65_538, messages=1_071, reserved=1_072),
                        OfType(object_type=131_075, messages=1_073, reserved=0),
                    ],
                    [Bar(label="a", count=1, width=81.0), Bar(label="b", count=2, width=82.0)],
                    strict=True,
                )
            ),
            "form": ReasonForm(),
        }
        return show("queue", **context | values)

    def test_shows_all_its_numbers(self):
        assert self.show() == [
            "Current contents",
            "(svg viewbox=0 0 100 1)",
            "{free} (rect x=0.0 width=20.0 height=1)",
            "{skipped} (rect x=20.0 width=30.0 height=1)",
            "{reserved} (rect x=50.0 width=50.0 height=1)",
            "Total: [1 100](/cp-queue/messages/?queuename=RENDITION)",
            "Free: [1 101](/cp-queue/messages/?queuename=RENDITION&state=free)",
            "1 015 objects, including messages that wait after a retry",
            "Duplicates: 1 016",
            "Reserved: [1 012](/cp-queue/messages/?queuename=RENDITION&state=reserved)",
            (
                "Waiting after a retry: [1 "
                "013](/cp-queue/messages/?queuename=RENDITION&state=deferred), [1 014 "
                "parked](/cp-queue/messages/?queuename=RENDITION&state=parked)"
            ),
            (
                "Oldest waiting: "
                "[@2026-11-02T12:17:00Z](/cp-queue/messages/?queuename=RENDITION&state=free&"
                "ordering=created), "
                "since 2026-11-02 12:17:00 UTC"
            ),
            (
                "Next pickup: [00000061…](/cp-queue/messages/00000061ABABABABABABABABABABABAB/) of "
                "object [62](/cp-queue/objects/62/), 65 coalesced"
            ),
            "Dispatches",
            "last hour, per 5 min",
            "(svg viewbox=0 0 30 100)",
            "(rect width=10 height=100)",
            "{done} (rect x=10 y=2.9000000000000057 width=8 height=97.1)",
            "{done} (rect x=20 y=0.0 width=8 height=100.0)",
            "{failed} (rect x=20 y=55.8 width=8 height=44.2)",
            (
                "[63](/cp-queue/dispatches/?queuename=RENDITION&at_from=-1h) in total, peak 32 per 5 "
                "min; now 1.9/min, 1 020 retried in 5 min"
            ),
            "Lost pickups",
            "last day, per hour",
            "(svg viewbox=0 0 20 100)",
            "{deferred} (rect x=10 y=0.0 width=8 height=100.0)",
            "14 in total: another service was faster",
            "By object type",
            "Messages of this queue by object type, most messages first",
            "Object type | Messages | Chart | Reserved",
            (
                "65538 main type 1, sub type 2 | 1 071 | (svg viewbox=0 0 100 1) {free} (rect "
                "width=81.0 height=1) | 1 072"
            ),
            (
                "131075 main type 2, sub type 3 | 1 073 | (svg viewbox=0 0 100 1) {free} (rect "
                "width=82.0 height=1) | 0"
            ),
            "Recent services",
            ("[w-1](/cp-queue/messages/?lock_service=w-1) polled @2026-11-02T12:01:00Z ago, holds 1 001"),
            ("[w-2](/cp-queue/messages/?lock_service=w-2) polled @2026-11-02T12:02:00Z ago probably dead"),
            "Pause queue",
            "(/cp-queue/queue/pause/)",
            (
                "> 1 000 free messages would wait until the queue is resumed. 1 012 reserved messages "
                "stay reserved. Services see an empty queue."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Pause queue",
        ]

    def test_shows_who_paused_it(self):
        pause = CpPause(queuename="RENDITION", paused_at=moment(5), actor="ada", reason="its disk is full")
        paused = self.show(counts(paused_at=moment(5)), pause=pause)
        note = "Paused since 2026-11-02 12:05:00 by ada. Services get no messages from it."
        assert paused[:2] == [note, "Current contents"]
        start = paused.index("Pause")
        assert paused[start : start + 6] == [
            "Pause",
            "its disk is full. Reserved messages stay reserved.",
            "(/cp-queue/queue/resume/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Resume queue",
        ]
        assert "Next pickup: none while paused" in paused
        assert "Pause queue" not in paused
        reading = self.show(pause=pause, may_steer=False)
        assert reading[:2] == [note, "Current contents"]
        assert "Resume queue" not in reading

    def test_shows_that_there_is_nothing(self):
        empty = self.show(
            counts(oldest_created=None, is_exact=False, objects=1),
            services=[],
            next_pickup=None,
            types=[],
            may_steer=False,
        )
        assert empty == [
            "Current contents",
            "(svg viewbox=0 0 100 1)",
            "{free} (rect x=0.0 width=20.0 height=1)",
            "{skipped} (rect x=20.0 width=30.0 height=1)",
            "{reserved} (rect x=50.0 width=50.0 height=1)",
            "Total: [more than 1 100](/cp-queue/messages/?queuename=RENDITION)",
            "Free: [1 101](/cp-queue/messages/?queuename=RENDITION&state=free)",
            "1 object, including messages that wait after a retry",
            "Duplicates: 1 016",
            "Reserved: [1 012](/cp-queue/messages/?queuename=RENDITION&state=reserved)",
            (
                "Waiting after a retry: [1 "
                "013](/cp-queue/messages/?queuename=RENDITION&state=deferred), [1 014 "
                "parked](/cp-queue/messages/?queuename=RENDITION&state=parked)"
            ),
            "Oldest waiting: –",
            "Next pickup: –",
            "Dispatches",
            "last hour, per 5 min",
            "(svg viewbox=0 0 30 100)",
            "(rect width=10 height=100)",
            "{done} (rect x=10 y=2.9000000000000057 width=8 height=97.1)",
            "{done} (rect x=20 y=0.0 width=8 height=100.0)",
            "{failed} (rect x=20 y=55.8 width=8 height=44.2)",
            (
                "[63](/cp-queue/dispatches/?queuename=RENDITION&at_from=-1h) in total, peak 32 per 5 "
                "min; now 1.9/min, 1 020 retried in 5 min"
            ),
            "Lost pickups",
            "last day, per hour",
            "(svg viewbox=0 0 20 100)",
            "{deferred} (rect x=10 y=0.0 width=8 height=100.0)",
            "14 in total: another service was faster",
            "Recent services",
            "None: no service is polling this queue.",
        ]
