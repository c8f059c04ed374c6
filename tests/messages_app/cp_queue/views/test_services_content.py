"""The page of services with numbers that all differ."""

import pytest

from messages_app.core.charts.bars import Bar
from messages_app.cp_queue.states import STANDINGS, ServiceStanding
from messages_app.cp_queue.views.services import DispatchAllForm
from messages_app.cp_queue.views.services import Line as ServiceLine
from tests.messages_app.cp_queue.views.shown_queue import moment, service, show


class TestServices:
    def show(self, *lines: ServiceLine, **values: object) -> list[str]:
        context = {"lines": lines, "dead": [], "is_cut": False, "most_held": 1_002, "silent_seconds": 180}
        return show("services", **context | values)

    def line(self, number: int, **columns: object) -> ServiceLine:
        found = service(number, **columns)
        drawn = Bar(label=found.service, count=found.reserved, width=10.0 + number)
        standing = STANDINGS[ServiceStanding.DEAD if found.is_probably_dead else ServiceStanding.WORKING]
        return ServiceLine(
            service=found, standing=standing, held=drawn, age=20 + number, queues=found.queues.split(",")
        )

    def test_show_all_their_values(self):
        first = self.line(1, is_probably_dead=True)
        second = self.line(2, last_poll=None, longest_since=None, since_unknown=0)
        third = self.line(3, reserved=0, longest_since=None, queues="Q3")
        assert self.show(first, second, third) == [
            "Services, probably dead ones first",
            ("Service | State | Holds | Last poll | Longest reservation | Lost | Queues | Actions"),
            (
                "[w-1](/cp-queue/messages/?lock_service=w-1) | {failed} (title: It holds messages and "
                "has not polled for a while. Other services cannot get them.) probably dead | [1 "
                "001](/cp-queue/messages/?lock_service=w-1) (svg viewbox=0 0 100 1) {reserved} (rect "
                "width=11.0 height=1) | @2026-11-02T12:01:00Z | @2026-11-02T13:41:00Z (svg viewbox=0 "
                "0 100 1) {failed} (rect width=21 height=1) 2 001 unknown | 3 001 | "
                "[Q1](/cp-queue/queue/?queuename=Q1), [R1](/cp-queue/queue/?queuename=R1) | [Reset "
                "w-1](/cp-queue/reset/?service=w-1) [Dispatch for "
                "w-1](/cp-queue/services/dispatch/?service=w-1)"
            ),
            (
                "[w-2](/cp-queue/messages/?lock_service=w-2) | {running} (title: It holds messages "
                "and has polled recently.) working | [1 002](/cp-queue/messages/?lock_service=w-2) "
                "(svg viewbox=0 0 100 1) {reserved} (rect width=12.0 height=1) | never | (title: "
                "Reserved outside the console) unknown | 3 002 | [Q2](/cp-queue/queue/?queuename=Q2), "
                "[R2](/cp-queue/queue/?queuename=R2) | [Reset w-2](/cp-queue/reset/?service=w-2) "
                "[Dispatch for w-2](/cp-queue/services/dispatch/?service=w-2)"
            ),
            (
                "[w-3](/cp-queue/messages/?lock_service=w-3) | {running} (title: It holds messages "
                "and has polled recently.) working | 0 | @2026-11-02T12:03:00Z | – | 3 003 | "
                "[Q3](/cp-queue/queue/?queuename=Q3) |"
            ),
        ]

    def test_offer_nothing_to_users_who_may_not_steer(self):
        assert self.show(self.line(1), may_steer=False, is_cut=True) == [
            "Services, probably dead ones first",
            ("Service | State | Holds | Last poll | Longest reservation | Lost | Queues"),
            (
                "[w-1](/cp-queue/messages/?lock_service=w-1) | {running} (title: It holds messages "
                "and has polled recently.) working | [1 001](/cp-queue/messages/?lock_service=w-1) "
                "(svg viewbox=0 0 100 1) {reserved} (rect width=11.0 height=1) | "
                "@2026-11-02T12:01:00Z | @2026-11-02T13:41:00Z (svg viewbox=0 0 100 1) {reserved} "
                "(rect width=21 height=1) 2 001 unknown | 3 001 | "
                "[Q1](/cp-queue/queue/?queuename=Q1), [R1](/cp-queue/queue/?queuename=R1)"
            ),
            "Only the first 1 services are shown.",
        ]

    @pytest.mark.django_db
    def test_say_how_services_appear(self):
        assert self.show()[0] == "No services yet"


class TestDispatchService:
    def show(self, held: int, **values: object) -> list[str]:
        form = DispatchAllForm(initial={"service": "w-1", "counted_at": moment(1).isoformat()})
        return show(
            "dispatch_service",
            **{"form": form, "name": "w-1", "held": held, "most": 500, "is_alive": False} | values,
        )

    def test_shows_how_many_it_dispatches(self):
        assert self.show(1_001, is_alive=True) == [
            "w-1 holds > 1 000 messages",
            "(/cp-queue/services/dispatch/)",
            (
                "w-1 polled a moment ago: it is alive and will dispatch its messages itself. Its own "
                "dispatch will then be rejected."
            ),
            (
                "[View the messages](/cp-queue/messages/?lock_service=w-1). Messages it reserves from "
                "now on are not affected. At most 500 are dispatched at a time; repeat for the others. "
                "To let other services process them instead, [reset the "
                "service](/cp-queue/reset/?service=w-1)."
            ),
            "Dispatch reason",
            "<result>",
            "OK: done and removed. RETRY: released for later. Any other text: failed and removed.",
            "<OK>",
            "<RETRY>",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Dispatch > 1 000 messages",
        ]
        assert self.show(500)[1:3] == [
            "(/cp-queue/services/dispatch/)",
            (
                "[View the messages](/cp-queue/messages/?lock_service=w-1). Messages it reserves from "
                "now on are not affected. To let other services process them instead, [reset the "
                "service](/cp-queue/reset/?service=w-1)."
            ),
        ]
        assert self.show(1)[0] == "w-1 holds 1 message"
        assert self.show(1)[-1] == "Dispatch 1 message"
        assert self.show(0) == [
            "w-1 holds no messages",
        ]
