"""The lines that the views make of what the selectors read, with values that all differ."""

from datetime import timedelta

import pytest

from messages_app.core.charts.bars import Bar, Share, age_share
from messages_app.core.charts.sparklines import make_sparkline
from messages_app.cp_queue.selectors import ObjectMessage
from messages_app.cp_queue.selectors.throughput import Pace
from messages_app.cp_queue.states import QUEUES, STANDINGS, ServiceStanding, State
from messages_app.cp_queue.views.objects import InQueue
from messages_app.cp_queue.views.operations import Row, _make_row
from messages_app.cp_queue.views.queues import Line, _make_line
from messages_app.cp_queue.views.services import Line as ServiceLine
from messages_app.cp_queue.views.services import _list_lines
from tests.messages_app.cp_queue.views.shown_queue import guid, moment, service
from tests.messages_app.cp_queue.views.test_queues_content import EMPTY, counts

PACE = Pace(dispatched=[0, 31, 32], failed=[0, 0, 13], read_slices=2, lost=[0, 14])


def message(number: int, state: State = State.FREE, **columns: object) -> ObjectMessage:
    values = {
        "guid": guid(number),
        "queue": "RENDITION",
        "object_type": number,
        "created": moment(number),
        "state": state,
        "service": None,
        "not_before": None,
        "attempts": 0,
        "reserved_at": None,
        "is_collapsible": False,
        "overlaps": False,
    }
    return ObjectMessage(**values | columns)


class TestQueueLine:
    def test_has_all_its_parts(self):
        found = counts(total=100, objects=20, surplus=30, reserved=50, oldest_age=3_600.0)
        assert _make_line(found, PACE) == Line(
            counts=found,
            about=QUEUES["RENDITION"],
            shares=[
                Share(name="free", count=20, start=0.0, width=20.0),
                Share(name="skipped", count=30, start=20.0, width=30.0),
                Share(name="reserved", count=50, start=50.0, width=50.0),
            ],
            pace=PACE,
            spark=make_sparkline([0, 31, 32], marked=[0, 0, 13], unknown=1),
            lost=make_sparkline([0, 14]),
        )

    def test_has_no_bars_of_an_empty_queue(self):
        empty = _make_line(counts("OCR", oldest_created=None, oldest_age=None, **EMPTY), PACE)
        assert (empty.about, empty.shares) == (None, [])


class TestServiceLine:
    def test_has_all_its_parts(self):
        first, second = service(1, reserved=40, is_probably_dead=True), service(2, reserved=10, queues="")
        assert _list_lines([first, second], moment(60)) == [
            ServiceLine(
                service=first,
                standing=STANDINGS[ServiceStanding.DEAD],
                held=Bar(label="w-1", count=40, width=100.0),
                age=age_share(timedelta(minutes=1)),
                queues=["Q1", "R1"],
            ),
            ServiceLine(
                service=second,
                standing=STANDINGS[ServiceStanding.WORKING],
                held=Bar(label="w-2", count=10, width=25.0),
                age=age_share(timedelta(minutes=2)),
                queues=[],
            ),
        ]

    @pytest.mark.parametrize(
        ("columns", "seconds", "standing"),
        [
            ({"reserved": 1, "is_probably_dead": True}, 999, ServiceStanding.DEAD),
            ({"reserved": 0, "is_probably_dead": True}, 1, ServiceStanding.DEAD),
            ({"reserved": 1}, 999, ServiceStanding.WORKING),
            ({"reserved": 0}, 100, ServiceStanding.POLLING),
            ({"reserved": 0}, 101, ServiceStanding.AWAY),
            ({"reserved": 0, "last_poll": None}, 0, ServiceStanding.AWAY),
        ],
    )
    def test_is_judged_by_what_it_holds_and_its_last_poll(self, settings, columns, seconds, standing):
        settings.CP_SILENT_SECONDS = 100
        found = service(0, **columns)
        (line,) = _list_lines([found], moment(0) + timedelta(seconds=seconds))
        assert line.standing == STANDINGS[standing]


class TestObjectInQueue:
    def test_counts_what_a_pickup_deletes_and_names_who_holds_it(self):
        messages = [
            message(1, State.RESERVED, service="w-1"),
            message(2, is_collapsible=True),
            message(3, State.RESERVED, service="w-3"),
            message(4, is_collapsible=True),
            message(5, is_collapsible=True),
            message(6),
        ]
        found = InQueue(queue="RENDITION", is_known=True, messages=messages)
        assert (found.holders, found.collapsible, found.has_overlaps) == (["w-1", "w-3"], 3, False)
        overlapping = InQueue(queue="X", is_known=False, messages=[*messages, message(7, overlaps=True)])
        assert overlapping.has_overlaps


class TestRowOfNewMessage:
    def test_counts_waiting_messages_and_names_their_services(self):
        there = [message(1), message(2, State.RESERVED, service="w-2"), message(3, State.DEFERRED)]
        there.append(message(4, State.PARKED))
        assert _make_row("RENDITION", 9, there) == Row(
            queue="RENDITION", object_type=9, is_known=True, collapsed=3, held_by=["w-2"]
        )
        assert _make_row("OCR", 8, []) == Row(
            queue="OCR", object_type=8, is_known=False, collapsed=0, held_by=[]
        )
