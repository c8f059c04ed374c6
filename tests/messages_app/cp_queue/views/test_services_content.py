"""The pages of services with values that all differ."""

from messages_app.core.charts.bars import bars
from messages_app.cp_queue.selectors import ServiceState
from messages_app.cp_queue.states import STANDINGS, ServiceStanding
from messages_app.cp_queue.views.services import DispatchAllForm, Line
from tests.messages_app.cp_queue.views.shown_rows import moment, service, show

DEAD = service(51, is_probably_dead=True)


def line(found: ServiceState, width: int, *, standing: ServiceStanding = ServiceStanding.WORKING) -> Line:
    (_, bar) = bars([("", 100, ""), ("", width, "")])
    return Line(
        service=found,
        standing=STANDINGS[standing],
        held=bar,
        age=width + 1,
        queues=[name for name in found.queues.split(",") if name],
    )


class TestServices:
    def test_show_all_their_numbers(self):
        unknown = service(40, last_poll=None, queues="", longest_since=None)
        idle = service(60, reserved=0, longest_since=None, since_unknown=0)
        lines = [
            line(DEAD, 31, standing=ServiceStanding.DEAD),
            line(unknown, 33),
            line(idle, 35, standing=ServiceStanding.POLLING),
        ]
        assert show("services", lines=lines, dead=[DEAD], is_cut=True, most_held=51, silent_seconds=300) == [
            (
                "[W51](/cp-queue/messages/?lock_service=W51) is probably dead: it holds 52 messages, the "
                "longest for @2026-11-02T11:09:00Z, and has not polled for @2026-11-02T12:51:00Z. Other "
                "services cannot get them. [Release them](/cp-queue/reset/?service=W51) or [dispatch them "
                "for the service](/cp-queue/services/dispatch/?service=W51)"
            ),
            "Services, probably dead ones first",
            "Service | State | Last poll | Holds | Longest reservation | Lost pickups | Queues | Actions",
            (
                "[W51](/cp-queue/messages/?lock_service=W51) | {failed} (title: It holds messages and has "
                "not polled for a while. Other services cannot get them.) probably dead | 2026-11-02 "
                "12:51:00 @2026-11-02T12:51:00Z | [> 51](/cp-queue/messages/?lock_service=W51) (svg "
                "viewbox=0 0 100 1) {reserved} (rect width=31.0 height=1) | @2026-11-02T11:09:00Z (svg "
                "viewbox=0 0 100 1) {failed} (rect width=32 height=1) 53 unknown | 54 | "
                "[Q51](/cp-queue/queue/?queuename=Q51), [RENDITION](/cp-queue/queue/?queuename=RENDITION) "
                "| [Reset W51](/cp-queue/reset/?service=W51) [Dispatch for "
                "W51](/cp-queue/services/dispatch/?service=W51)"
            ),
            (
                "[W40](/cp-queue/messages/?lock_service=W40) | {running} (title: It holds messages and has "
                "polled recently.) working | never | [41](/cp-queue/messages/?lock_service=W40) (svg "
                "viewbox=0 0 100 1) {reserved} (rect width=33.0 height=1) | (title: Reserved outside the "
                "console) unknown | 43 | – | [Reset W40](/cp-queue/reset/?service=W40) [Dispatch for "
                "W40](/cp-queue/services/dispatch/?service=W40)"
            ),
            (
                "[W60](/cp-queue/messages/?lock_service=W60) | {done} (title: It has polled recently and "
                "holds no messages.) polling | 2026-11-02 13:00:00 @2026-11-02T13:00:00Z | 0 | – | 63 | "
                "[Q60](/cp-queue/queue/?queuename=Q60), [RENDITION](/cp-queue/queue/?queuename=RENDITION) |"
            ),
            (
                "Probably dead: it holds messages and has not polled for 5 min. Reservations do not "
                "expire, so other services get these messages only after a reset. Lost pickups: another "
                "service was faster, in the last hour. Only the first 3 services are shown."
            ),
        ]

    def test_offer_actions_only_to_users_who_may_steer(self):
        readers = show(
            "services", lines=[line(DEAD, 31)], dead=[DEAD], may_steer=False, most_held=99, silent_seconds=60
        )
        assert readers[0] == (
            "[W51](/cp-queue/messages/?lock_service=W51) is probably dead: it holds 52 messages, the "
            "longest for @2026-11-02T11:09:00Z, and has not polled for @2026-11-02T12:51:00Z. Other "
            "services cannot get them."
        )
        assert (
            readers[2] == "Service | State | Last poll | Holds | Longest reservation | Lost pickups | Queues"
        )
        assert "Only the first" not in readers[-1]

    def test_name_five_dead_ones(self):
        dead = [service(number, is_probably_dead=True) for number in range(61, 68)]
        lines = show("services", lines=[line(DEAD, 31)], dead=dead, most_held=99, silent_seconds=60)
        assert [words.split("]")[0] for words in lines[:5]] == ["[W61", "[W62", "[W63", "[W64", "[W65"]
        assert lines[5] == "And 2 other services. [View all services](/cp-queue/services/)"
        five = show("services", lines=[line(DEAD, 31)], dead=dead[:5], most_held=99, silent_seconds=60)
        assert not any(words.startswith("And") for words in five)

    def test_say_that_there_are_none(self):
        assert show("services", lines=[], dead=[]) == [
            "No services yet",
            (
                "A service appears here after it polls for a message with POST /api/v1/cp-queue/get-next/ "
                "or the worker that comes with the console."
            ),
        ]

    def test_name_a_dead_one_that_never_polled(self):
        never = service(0, is_probably_dead=True, last_poll=None, longest_since=None)
        assert show("services", lines=[], dead=[never], may_steer=False)[0] == (
            "[W0](/cp-queue/messages/?lock_service=W0) is probably dead: it holds 1 message, and has never "
            "polled here. Other services cannot get them."
        )


class TestDispatchService:
    def show(self, **values: object) -> list[str]:
        form = DispatchAllForm(initial={"service": "W1", "counted_at": moment(1)})
        context = {"form": form, "name": "W1", "held": 12, "most": 10, "is_alive": True}
        return show("dispatch_service", **context | values)

    def test_shows_how_many_it_holds(self):
        assert self.show() == [
            "[Services](/cp-queue/services/)",
            "W1 holds 12 messages",
            "(/cp-queue/services/dispatch/)",
            (
                "W1 polled a moment ago: it is alive and will dispatch its messages itself. Its own "
                "dispatch will then be rejected."
            ),
            (
                "[View the messages](/cp-queue/messages/?lock_service=W1). Messages it reserves from now "
                "on are not affected. At most 10 are dispatched at a time; repeat for the others. To let "
                "other services process them instead, [reset the service](/cp-queue/reset/?service=W1)."
            ),
            "Dispatch reason",
            "<said>",
            "OK removes it as done, RETRY releases it for later, any other text removes it as failed.",
            "<OK>",
            "<RETRY>",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Dispatch 12 messages",
        ]
        assert self.show(held=1, is_alive=False)[1] == "W1 holds 1 message"
        assert self.show(held=1, is_alive=False)[-1] == "Dispatch 1 message"
        assert not any(
            "polled a moment ago" in words or "At most" in words
            for words in self.show(held=9, is_alive=False)
        )
        assert self.show(held=0)[1:] == ["W1 holds no messages"]

    def test_shows_its_errors(self):
        form = DispatchAllForm({"service": "W1", "said": "", "reason": "", "counted_at": "x"})
        form.add_error(None, "It is alive.")
        lines = self.show(form=form)
        assert [words for words in lines if words.startswith(("Enter", "It is alive"))] == [
            "It is alive.",
            "Enter OK, RETRY or an error text.",
            "Enter a reason. It is recorded in the audit log.",
        ]
