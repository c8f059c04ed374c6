"""The calls, the exchanges, the family and the timeline of a message, with values that all differ."""

import pytest

from messages_app.messages.detail.children import Branch, RollUp
from messages_app.messages.detail.tree import Line
from messages_app.messages.timeline.waterfall import Waterfall
from tests.messages_app.messages.detail.shown_message import NONE, TIMELINE, message, relative, section

# The notes on the message are read.
pytestmark = pytest.mark.django_db


class TestExchanges:
    def test_show_all_their_values(self):
        assert section("exchanges") == [
            "Requests and responses",
            "(get /messages/71/requests/11/)",
            "Requesthttp://host-11/ws2026-11-02 12:11:00 · 11 kB",
            "[Open the request](/messages/71/requests/11/)",
            "(get /messages/71/responses/12/)",
            "Responseafter 60 s2026-11-02 12:12:00 · 12.5 kB",
            "[Open the response](/messages/71/responses/12/)",
            "(get /messages/71/responses/13/)",
            "Response {failed} failedafter 2 min2026-11-02 12:13:00 · no content",
            "[Open the response](/messages/71/responses/13/)",
            "refused",
            "Stack trace",
            "at X.java",
            "(get /messages/71/requests/14/)",
            "Requesthttp://host-14/ws2026-11-02 12:14:00 · 14 kB",
            "[Open the request](/messages/71/requests/14/)",
            "No response recorded. This is normal for a one-way call.",
            "No request matches this response.",
            "(get /messages/71/responses/15/)",
            "Response– · 0 B",
            "[Open the response](/messages/71/responses/15/)",
            (
                "(get /messages/71/exchanges/?after=16) [More requests and "
                "responses](/messages/71/exchanges/?after=16)"
            ),
        ]
        assert section("exchanges", exchanges=NONE) == [
            "Requests and responses",
            "Not recorded. The hub records them only for configured endpoints.",
        ]


class TestCalls:
    def test_show_all_their_values(self):
        assert section("calls") == [
            "External calls",
            "External calls",
            "State | System | Operation | Failed | Created | Call id",
            (
                "{OK} OK | [direct:call-21](/systems/direct:call-21/) | "
                "direct:call-21 entity-21 | 121 | 2026-11-02 12:21:00 21 min until its last "
                "change | 21"
            ),
            (
                "{FAILED} FAILED | [direct:call-22](/systems/direct:call-22/) | "
                "direct:call-22 entity-22 | 122 | 2026-11-02 12:22:00 22 min "
                "until its last change | 22"
            ),
            "(get /messages/71/calls/?after=23) [More external calls](/messages/71/calls/?after=23)",
        ]
        assert section("calls", calls=NONE) == [
            "External calls",
            "None recorded. Calls taken over by a newer message are not listed here.",
        ]


class TestFamily:
    def test_shows_all_its_members(self):
        assert section("family") == [
            "Family",
            "131 children: {OK} 65 OK, {FAILED} 66 FAILED",
            "(label: Parents)",
            "… more parents above",
            "Message [63](/messages/63/) was not found",
            "Cyclic parent links: back to [64](/messages/64/)",
            "{OK} OK[61](/messages/61/)SOFT(title: service-61 · operation-61) operation-61",
            "* {FAILED} FAILED 71 HARD this message",
            "HARD binding: the outcome of this message decides the outcome of its parent.",
            "{FAILED}",
            "{FAILED} FAILED[81](/messages/81/)SOFT(title: service-81 · operation-81) operation-81",
            "*",
            "more than 83 children; of the first: {OK} 82 OK, {FAILED} 1 FAILED",
            "{OK}",
            "{OK} OK[84](/messages/84/)(title: service-84 · operation-84) operation-84archived",
            "(get /messages/81/children/?cursor=c81) [More children](/messages/81/children/?cursor=c81)",
            "{OK}",
            "{OK} OK[85](/messages/85/)SOFT(title: service-85 · operation-85) operation-85",
            "(get /messages/85/children/)",
            "1 child: {OK} 1 OK",
            "[Show the children](/messages/85/children/)",
            "(get /messages/71/children/?cursor=c71) [More children](/messages/71/children/?cursor=c71)",
            "[View all children as a list](/messages/?parent_msg_id=71)",
        ]

    def test_shows_what_the_binding_means(self):
        plain = {"line": Line(members=[]), "parents": [], "branch": Branch(relative=relative(71), below=[])}
        soft = section("family", message(parent_binding_type="SOFT"), **plain)
        assert soft[-1] == "SOFT binding: its parent does not wait for this message."
        assert section("family", message(parent_binding_type=None), **plain)[-1] == "No binding recorded."

    def test_says_that_it_is_empty(self):
        none = {"roll_up": RollUp(states=[], count=0, is_more=False), "branch": None}
        assert section("family", message(parent_msg_id=None), **none) == ["Family", "No children, no parent."]
        assert section("family", **none)[:2] == ["Family", "No children."]
        unread = section("family", family_unread="An index is missing.", **none)
        assert unread == ["Family", "The family was not read. An index is missing."]


class TestTimeline:
    def test_shows_all_its_numbers(self):
        assert section("timeline") == [
            "Timeline",
            (
                "17 min · to scale, 2 gaps cut: 9 d 3 h, 13 d 4 h · only 48 entries, from the start and "
                "the end"
            ),
            (
                "(label: Timeline entries) (get ?all) * [All](?all#timeline) (get ?failures) [Failures "
                "only (49)](?failures#timeline)"
            ),
            "2026-11-02 12:30:00 UTC2026-11-02 12:47:00 UTC",
            "(svg height=30)",
            "{PROCESSING} (rect x=4% y=0 width=5% height=14) PROCESSING for 6 min",
            "15 s 9 d13 d",
            "(svg) (line x1=14% x2=14% y1=0 y2=100%) (line x1=16% x2=16% y1=0 y2=100%)",
            "{OK}",
            "call {OK} OK",
            "Call · 2026-11-02 12:31:00 · 3 min · slow",
            "(svg height=16)",
            "(rect x=1% y=2 width=2% height=12)",
            "Other entries are not shown here.",
            "{FAILED}",
            "failed {FAILED} FAILED",
            "2026-11-02 12:32:00 · ana",
            "(svg height=16) (circle cx=3% cy=8)",
            "request",
            "Request · –",
            "(svg)",
            "(path d=M3 -1 L7 6 L3 13)",
            "(path d=M0 -1 L4 6 L0 13 M6 -1 L10 6 L6 13)",
            "(svg x=8%) 9 d 3 h cut out",
            "(rect width=10 height=100%)",
            "(svg x=12%) 13 d 4 h cut out",
            "(rect width=10 height=100%)",
        ]

    def test_shows_one_without_gaps_and_failures(self):
        calm = Waterfall(
            **{
                **TIMELINE.__dict__,
                "cuts": [],
                "failures": 0,
                "is_cut": False,
                "rows": [],
                "lines": [],
                "bands": [],
            }
        )
        assert section("timeline", timeline=calm) == [
            "Timeline",
            "17 min · to scale",
            "2026-11-02 12:30:00 UTC2026-11-02 12:47:00 UTC",
            "(svg height=30)",
            "(svg)",
            "No failures recorded.",
        ]
        assert section("timeline", timeline=calm, failures_only=True)[2:4] == [
            (
                "(label: Timeline entries) (get ?all) [All](?all#timeline) (get ?failures) * [Failures "
                "only (0)](?failures#timeline)"
            ),
            "2026-11-02 12:30:00 UTC2026-11-02 12:47:00 UTC",
        ]
        many = Waterfall(**{**TIMELINE.__dict__, "cuts": TIMELINE.cuts * 2})
        assert (
            section("timeline", timeline=many)[1]
            == "17 min · to scale, 4 gaps cut · only 48 entries, from the start and the end"
        )
