"""The list of funnels with messages, places and times that all differ."""

from collections.abc import Mapping

import pytest

from messages_app.core.lists.filter_form import Field
from messages_app.messages.funnels.drawing import DrawnLane, draw_lanes
from messages_app.messages.funnels.filters import FunnelFilter
from messages_app.messages.funnels.lanes import Lane, Why
from messages_app.messages.funnels.selectors import FunnelPage
from tests.messages_app.messages.funnels.sample_lanes import HELD, ORDERED, holder, lane, member, waiting
from tests.support.factories import NOON
from tests.support.page_outlines import outline_of, show_block


@pytest.fixture(autouse=True)
def rules_of_hub(settings) -> None:
    settings.HUB_RULES = "cleverbus"


def show(*lanes: Lane, block: str = "content", is_whole: bool = False, **values: object) -> list[str]:
    page = FunnelPage(
        rows=list(lanes),
        at=NOON,
        lanes_found=1_301,
        waiting_found=1_402,
        truncated=bool(values.pop("truncated", False)),
        next_cursor="n1",
        previous_cursor="p1",
    )
    context = {
        "page": page,
        "filters": FunnelFilter(),
        "lanes": draw_lanes(lanes, NOON, is_whole=is_whole),
        "may_restart_head": True,
        "may_cancel_waiting": True,
        "compares_component": True,
        "idle_minutes": 11,
        "order_fails_after": "5 min",
        "typed": {},
        "fields": make_fields(),
        "orders": [
            {"text": "Longest wait first", "query": "?longest", "is_on": True},
            {"text": "Most waiting first", "query": "?most", "is_on": False},
        ],
        "without_blocked": "?all",
        "only_blocked": "?blocked=true",
    }
    markup = show_block("messages_app/funnels/list.html", block=block, **context | values)
    return outline_of(markup, keep_ages=True)


def make_fields(value: str = "", component: str = "", errors: Mapping[str, str] | None = None) -> list[Field]:
    typed = {"value": value, "component": component}
    return [
        Field(name=name, label=name.title(), value=text, hint="", error=(errors or {}).get(name, ""))
        for name, text in typed.items()
    ]


def sentence(shown: Lane, **values: object) -> str:
    """Return the sentence of a lane."""
    lines = show(shown, **values)
    return lines[lines.index(shown.component_id or "no component") + 1]


class TestList:
    def test_shows_all_parts_of_each_lane(self):
        lines = show(HELD, ORDERED)
        assert lines == [
            "Filter",
            "(/funnels/)",
            "Value",
            "<value=>",
            "Component",
            "<component=>",
            "Filter",
            "* [All](?all)",
            "[With a queue](?blocked=true)",
            "* [Longest wait first](?longest)",
            "[Most waiting first](?most)",
            "[7](/funnels/?value=7&component=f)",
            "f",
            (
                "Held by [12](/messages/12/) and 3 others since 2026-11-01 11:58:00 UTC, until they finish "
                "or their idle windows end."
            ),
            "{PROCESSING} [12](/messages/12/) {PROCESSING} PROCESSING for 2 min",
            "(svg viewbox=0 0 100 4)",
            "(rect width=100 height=4)",
            "(rect width=20 height=4)",
            "{PROCESSING} [13](/messages/13/) {PROCESSING} PROCESSING for 3 min · idle window passed",
            "(svg viewbox=0 0 100 4)",
            "(rect width=100 height=4)",
            "(rect width=30 height=4)",
            "{PROCESSING} [14](/messages/14/) {PROCESSING} PROCESSING for 4 min",
            "(svg viewbox=0 0 100 4)",
            "(rect width=100 height=4)",
            "(rect width=40 height=4)",
            "+ 2 more",
            "{POSTPONED} 1 [21](/messages/21/) 23 min",
            "{POSTPONED} 2 [22](/messages/22/) 24 min",
            "{POSTPONED} 3 [23](/messages/23/) 25 min",
            "{POSTPONED} 4 [24](/messages/24/) 26 min",
            "{POSTPONED} 5 [25](/messages/25/) 27 min",
            "{POSTPONED} 6 [26](/messages/26/) 28 min",
            "{POSTPONED} 7 [27](/messages/27/) 29 min",
            "{POSTPONED} 8 [28](/messages/28/) 30 min",
            "{POSTPONED} 9 [29](/messages/29/) 31 min",
            "{POSTPONED} 10 [30](/messages/30/) 32 min",
            "[+ 2 more](/messages/?funnel_value=7&funnel_component_id=f&state=POSTPONED)",
            "12 waiting",
            "longest 61 min",
            "(svg viewbox=0 0 100 4)",
            "(rect width=100 height=4)",
            "(rect width=56 height=4)",
            "[8](/funnels/?value=8)",
            "no component",
            (
                "Blocked until [2](/messages/2/) is restarted and becomes OK: its order is guaranteed, "
                "and it FAILED. Messages that wait longer than 5 min also fail, with E121. [Restart "
                "2…](/messages/2/restart/)"
            ),
            "{FAILED} [2](/messages/2/) {FAILED} FAILED first in its order",
            "{WAITING} (title: WAITING, before the waiting messages) [3](/messages/3/)WAITING",
            (
                "{PARTLY_FAILED} (title: PARTLY_FAILED, before the waiting messages) "
                "[4](/messages/4/)PARTLY_FAILED"
            ),
            "{POSTPONED} 1 [21](/messages/21/) 23 min",
            "1 waiting",
            "longest 6 min",
            "(svg viewbox=0 0 100 4)",
            "(rect width=100 height=4)",
            "(rect width=37 height=4)",
            "(label: Pages) [Previous](?cursor=p1)",
            "As of 2026-11-01 12:00:00 UTC · idle window 11 min, the hub's default",
            "[Next](?cursor=n1)",
        ]

    def test_counts_in_its_heading(self):
        assert show(HELD, block="heading") == [
            "Funnels",
            "1 301 funnel values, 1 402 messages waiting",
        ]
        fenced = show(HELD, block="heading", truncated=True)[1]
        assert fenced == "1 301 funnel values, more than 1 402 messages waiting"
        assert show(block="heading", page=None)[1] == "Each funnel value allows one message at a time"
        one = FunnelPage(
            rows=[],
            at=NOON,
            lanes_found=1,
            waiting_found=1,
            truncated=False,
            next_cursor=None,
            previous_cursor=None,
        )
        assert show(block="heading", page=one)[1] == "1 funnel value, 1 message waiting"
        assert not [line for line in show(HELD, page=one) if "label: Pages" in line and "cursor" in line]

    def test_says_that_more_wait(self):
        lines = show(HELD, truncated=True)
        assert "12+ waiting" in lines
        assert [line for line in lines if "longest-waiting" in line] == [
            (
                "Only the longest-waiting messages are shown; more are waiting. Filter by a value or "
                "component to see more of one funnel."
            ),
        ]
        of_value = show(HELD, truncated=True, filters=FunnelFilter(value="7"))
        assert [line for line in of_value if "are shown" in line] == [
            "Only the messages that are first in line are shown; more are waiting.",
        ]

    def test_shows_the_filter(self):
        typed = {"value": "7", "component": "f", "blocked": "true", "ordering": "most"}
        errors = {"value": "Wrong value.", "component": "Wrong component."}
        lines = show(
            typed=typed,
            fields=make_fields("7", "f", errors),
            fields_set=2,
            errors=errors,
            other_errors=["Unknown parameter."],
            problem=object(),
            page=None,
        )
        assert lines[lines.index("Value") :] == [
            "Value",
            "<value=7>",
            "Wrong value.",
            "Component",
            "<component=f>",
            "Wrong component.",
            "Filter",
            "[Clear](/funnels/)",
            "[All](?all)",
            "* [With a queue](?blocked=true)",
            "* [Longest wait first](?longest)",
            "[Most waiting first](?most)",
            "Unknown parameter. [Show all funnels](/funnels/)",
            "Filter by a value or component to shorten the list.",
        ]

    @pytest.mark.django_db
    def test_explains_an_empty_list(self):
        assert show(filters=FunnelFilter(value="7"))[11:] == [
            "Nothing holds or waits here",
            "No messages are running or waiting with the funnel value 7.",
            "[View messages](/messages/?funnel_value=7) [View all funnels](/funnels/)",
        ]
        assert show(filters=FunnelFilter(component="f"))[11:] == [
            "Nothing holds or waits here",
            "No messages are running or waiting at the component f.",
            "[View messages](/messages/?funnel_component_id=f) [View all funnels](/funnels/)",
        ]
        assert show(filters=FunnelFilter(value="7", component="f"))[11:] == [
            "Nothing holds or waits here",
            "No messages are running or waiting with the funnel value 7 at the component f.",
            "[View messages](/messages/?funnel_value=7) [View all funnels](/funnels/)",
        ]
        assert show(filters=FunnelFilter(blocked=True))[11:] == [
            "No messages are waiting",
            "No message is waiting for a funnel.",
            "[View held funnels](?all)",
        ]
        assert show()[11:] == [
            "All funnels are free",
            "No messages hold or wait for a funnel value.",
        ]

    def test_shows_the_values_of_the_same_messages_as_one_card(self):
        stuck = waiting(1, Why.POSTPONES_ITSELF, values=2)
        lanes = [
            lane(value="AX", waiting=(stuck,)),
            lane(value="IBAN", waiting=(stuck,)),
            lane(value="elsewhere", component_id="g", waiting=(stuck,)),
            lane(value="held", holders=(holder(12),), waiting=(waiting(1, Why.HELD_BY_FUNNEL, 12),)),
            lane(value="held too", holders=(holder(12),), waiting=(waiting(1, Why.HELD_BY_FUNNEL, 12),)),
            lane(value="less", holders=(holder(12),)),
        ]
        drawn = draw_lanes(lanes, NOON, is_whole=False)
        assert [card.values for card in drawn] == [
            ("AX", "IBAN"),
            ("elsewhere",),
            ("held", "held too"),
            ("less",),
        ]
        lines = show(*lanes)
        links = "[AX](/funnels/?value=AX&component=f) [IBAN](/funnels/?value=IBAN&component=f)"
        assert lines.count(links) == 1
        assert sum(line.startswith("Stuck: [21]") for line in lines) == 2

    def test_links_the_rest_of_a_long_order(self):
        order = (member(2, "FAILED"), *(member(number, "WAITING") for number in range(3, 13)))
        rest = "[more](/messages/?funnel_value=7&funnel_component_id=f&state=FAILED)"
        assert rest not in show(lane(order=order, waiting=ORDERED.waiting))
        longer = lane(order=(*order, member(13, "WAITING")), waiting=ORDERED.waiting)
        assert show(longer).count(rest) == 1
        assert DrawnLane(lane(), NOON, False).order_list == ""

    def test_links_no_component_where_the_hub_does_not_compare_it(self, settings):
        settings.HUB_RULES = "openhub"
        drawn = DrawnLane(lane(component_id=None), NOON, False)
        assert drawn.list_of("OK") == "/messages/?funnel_value=7&state=OK"


class TestWhole:
    def test_gives_each_reason_with_its_message(self):
        numbers = enumerate(Why, start=1)
        places = tuple(waiting(number, why, 90 + number, values=number) for number, why in numbers)
        shown = lane(holders=(holder(12),), order=(member(2, "WAITING"),), waiting=places)
        lines = show(shown, is_whole=True)
        start = lines.index("Messages waiting for 7, in poll order")
        assert lines[start:] == [
            "Messages waiting for 7, in poll order",
            "Position | Message | Reason | Received | Message time | Last checked",
            (
                "1 | [21](/messages/21/) | held by [91](/messages/91/) | 2026-11-01 11:37:00 UTC 23 min "
                "ago | 2026-11-01 11:38:00 UTC | 2026-11-01 11:35:00 UTC"
            ),
            (
                "2 | [22](/messages/22/) | after [92](/messages/92/) in its guaranteed order | "
                "2026-11-01 11:36:00 UTC 24 min ago | 2026-11-01 11:37:00 UTC | 2026-11-01 11:34:00 "
                "UTC"
            ),
            (
                "3 | [23](/messages/23/) | blocked until [93](/messages/93/) is restarted | 2026-11-01 "
                "11:35:00 UTC 25 min ago | 2026-11-01 11:36:00 UTC | 2026-11-01 11:33:00 UTC"
            ),
            (
                "4 | [24](/messages/24/) | waited too long behind [94](/messages/94/): fails with E121 "
                "at the hub's next check | 2026-11-01 11:34:00 UTC 26 min ago | 2026-11-01 11:35:00 "
                "UTC | 2026-11-01 11:32:00 UTC"
            ),
            (
                "5 | [25](/messages/25/) | has 5 values here and blocks itself | 2026-11-01 11:33:00 "
                "UTC 27 min ago | 2026-11-01 11:34:00 UTC | 2026-11-01 11:31:00 UTC"
            ),
            (
                "6 | [26](/messages/26/) | after [96](/messages/96/) | 2026-11-01 11:32:00 UTC 28 min "
                "ago | 2026-11-01 11:33:00 UTC | 2026-11-01 11:30:00 UTC"
            ),
            (
                "7 | [27](/messages/27/) | starts at the hub's next poll | 2026-11-01 11:31:00 UTC 29 min"
                " ago | 2026-11-01 11:32:00 UTC | 2026-11-01 11:29:00 UTC"
            ),
            (
                "[View waiting "
                "messages](/messages/?funnel_value=7&funnel_component_id=f&state=POSTPONED) [View all "
                "messages with this value](/messages/?funnel_value=7) [View all values at "
                "f](/funnels/?component=f)"
            ),
            "(label: Pages) [Previous](?cursor=p1)",
            "As of 2026-11-01 12:00:00 UTC · idle window 11 min, the hub's default",
            "[Next](?cursor=n1)",
        ]

    def test_links_no_component_that_it_does_not_have(self):
        lines = show(lane(component_id=None, holders=(holder(12),)), is_whole=True, compares_component=False)
        assert lines[12:-4] == [
            "any component",
            "Held; no messages waiting.",
            "{PROCESSING} [12](/messages/12/) {PROCESSING} PROCESSING for 2 min",
            "(svg viewbox=0 0 100 4)",
            "(rect width=100 height=4)",
            "(rect width=20 height=4)",
            "no messages waiting",
        ]


class TestSentence:
    def test_says_how_long_one_holder_may_keep_others_waiting(self):
        held = lane(holders=(holder(12),), waiting=(waiting(1, Why.HELD_BY_FUNNEL, 12),))
        assert sentence(held) == (
            "Held by [12](/messages/12/) since 2026-11-01 11:58:00 UTC, until it finishes, or until its "
            "idle window ends at 2026-11-01 12:08:00 UTC."
        )
        two = lane(holders=(holder(12), holder(13)), waiting=held.waiting)
        assert sentence(two) == (
            "Held by [12](/messages/12/) and 1 other since 2026-11-01 11:58:00 UTC, until they finish or "
            "their idle windows end."
        )

    def test_names_the_head_of_an_order(self):
        failed = lane(order=(member(2, "FAILED"),), waiting=(waiting(1, Why.HELD_BY_FAILED_ORDER, 2),))
        assert sentence(failed) == (
            "Blocked until [2](/messages/2/) is restarted and becomes OK: its order is guaranteed, "
            "and it FAILED. [Restart 2…](/messages/2/restart/)"
        )
        assert sentence(failed, may_restart_head=False) == (
            "Blocked until [2](/messages/2/) is restarted and becomes OK: its order is guaranteed, "
            "and it FAILED."
        )
        running = lane(order=(member(2, "WAITING"),), waiting=(waiting(1, Why.HELD_BY_ORDER, 2),))
        assert sentence(running) == (
            "Waiting for [2](/messages/2/), first in the guaranteed order, to become OK or be cancelled."
        )
        late = lane(order=(member(2, "WAITING"),), waiting=(waiting(1, Why.ORDER_TIME_OVER, 2),))
        assert sentence(late) == (
            "Waiting for [2](/messages/2/), first in the guaranteed order, to become OK or be "
            "cancelled. Messages that wait longer than 5 min fail with E121."
        )

    def test_says_that_a_message_blocks_itself(self):
        stuck = lane(waiting=(waiting(1, Why.POSTPONES_ITSELF, values=3),))
        assert sentence(stuck) == (
            "Stuck: [21](/messages/21/) has 3 values in this funnel and blocks itself. [Cancel "
            "21…](/messages/21/cancel/)"
        )
        assert sentence(stuck, may_cancel_waiting=False) == (
            "Stuck: [21](/messages/21/) has 3 values in this funnel and blocks itself."
        )

    def test_says_that_none_waits(self):
        assert sentence(lane(holders=(holder(12),))) == "Held; no messages waiting."
        assert "no messages waiting" in show(lane(holders=(holder(12),)))
