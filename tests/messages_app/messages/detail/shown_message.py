"""A message, its rows and its page, with numbers and times that all differ."""

from datetime import UTC, datetime, timedelta

from messages_app.messages.detail.buttons import AdvisedButton
from messages_app.messages.detail.children import Branch, RollUp
from messages_app.messages.detail.following import Following
from messages_app.messages.detail.selectors import MessageDetail, Rows
from messages_app.messages.detail.tree import Line, Relative
from messages_app.messages.diagnosis.explanation import Explanation
from messages_app.messages.listing.neighbours import Neighbours
from messages_app.messages.models import ExternalCall, Message, Request, Response
from messages_app.messages.timeline import waterfall
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.timeline.waterfall import Bar, Cut, Row, Waterfall
from messages_app.messages.traffic.exchanges import Exchange
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def message(**columns: object) -> Message:
    values = {
        "correlation_id": "corr-1",
        "process_id": "proc-1",
        "object_id": "obj-1",
        "entity_type": "invoice",
        "parent_msg_id": 61,
        "parent_binding_type": "HARD",
        "service_name": "billing",
        "operation_name": "createInvoice",
        "source_system": "CRM",
        "state": "FAILED",
        "receive_timestamp": datetime(2021, 3, 5, 12, 1, tzinfo=UTC),
        "last_process_timestamp": datetime(2022, 4, 6, 12, 2, tzinfo=UTC),
        "failed_count": 3,
        "failed_error_code": "E103",
        "failed_desc": "E103: timed out\nat Line.java:7",
        "business_error": "no stock",
        "funnel_component_id": "route-a",
        "guaranteed_order": True,
        "exclude_failed_state": True,
    }
    shown = Message(msg_id=71, **values | columns)
    shown.payload_bytes, shown.envelope_bytes = 41_000, 42_000
    return shown


def request(number: int, **columns: object) -> Request:
    values = {"uri": f"http://host-{number}/ws", "req_timestamp": moment(number)}
    row = Request(req_id=number, msg_id=71, **values | columns)
    row.content_bytes = number * 1_000
    return row


def response(number: int, *, content_bytes: int | None, **columns: object) -> Response:
    row = Response(res_id=number, msg_id=71, **{"res_timestamp": moment(number), "failed": False} | columns)
    row.content_bytes = content_bytes
    return row


def call(number: int, **columns: object) -> ExternalCall:
    values = {
        "operation_name": f"direct:call-{number}",
        "state": "OK",
        "entity_id": f"entity-{number}",
        "failed_count": number + 100,
        "creation_timestamp": moment(number),
        "last_update_timestamp": moment(2 * number),
    }
    return ExternalCall(call_id=number, msg_id=71, **values | columns)


def relative(msg_id: int, **columns: object) -> Relative:
    values = {
        "parent_msg_id": None,
        "parent_binding_type": "SOFT",
        "state": "OK",
        "service_name": f"service-{msg_id}",
        "operation_name": f"operation-{msg_id}",
        "archived": False,
    }
    return Relative(msg_id=msg_id, **values | columns)


EXCHANGES = Rows(
    rows=[
        Exchange(
            request=request(11),
            responses=[
                response(12, content_bytes=12_500),
                response(13, content_bytes=None, failed=True, failed_reason="refused\nat X.java"),
            ],
        ),
        Exchange(request=request(14), responses=[]),
        Exchange(request=None, responses=[response(15, content_bytes=0, res_timestamp=None)]),
    ],
    after=16,
)
CALLS = Rows(rows=[call(21), call(22, state="FAILED")], after=23)
NONE = Rows(rows=[], after=None)
BRANCH = Branch(
    relative=relative(71),
    below=[
        Branch(
            relative=relative(81, state="FAILED"),
            roll_up=RollUp(states=[("OK", 82), ("FAILED", 1)], count=83, is_more=True),
            below=[Branch(relative=relative(84, archived=True, parent_binding_type=None))],
            cursor="c81",
        ),
        Branch(relative=relative(85), roll_up=RollUp(states=[("OK", 1)], count=1, is_more=False)),
    ],
    cursor="c71",
)
TIMELINE = Waterfall(
    rows=[
        Row(
            entry=Entry(
                at=moment(31), until=moment(34), kind=Kind.EXTERNAL_CALL, text="call", state="OK", note="slow"
            ),
            bar=Bar(left="1%", width="2%", state="OK"),
        ),
        Row(),
        Row(
            entry=Entry(at=moment(32), kind=Kind.STATE_CHANGE, text="failed", state="FAILED", actor="ana"),
            bar=Bar(left="3%", width="", state="FAILED"),
        ),
        Row(entry=Entry(at=None, kind=Kind.REQUEST, text="request")),
    ],
    bands=[Bar(left="4%", width="5%", state="PROCESSING", title="PROCESSING for 6 min")],
    cuts=[
        Cut(left="6%", width="7%", middle="8%", text="9 d", exact="9 d 3 h", start=moment(1), end=moment(2)),
        Cut(
            left="10%",
            width="11%",
            middle="12%",
            text="13 d",
            exact="13 d 4 h",
            start=moment(3),
            end=moment(4),
        ),
    ],
    lines=[waterfall.Line(left="14%", text="15 s"), waterfall.Line(left="16%", text="")],
    start=moment(30),
    end=moment(47),
    entry_count=48,
    failures=49,
    is_cut=True,
)
CHANGES = [
    Entry(at=moment(51), kind=Kind.STATE_CHANGE, text="became FAILED", state="FAILED", id=52, note="E103"),
    Entry(at=moment(53), kind=Kind.OPERATOR_ACTION, text="restart", state="refused", actor="ben"),
]
EXPLANATION = Explanation(
    reason="failed", summary="It failed.", blocked_by=[], next={"what": "none"}, mentions=[], job_id=None
)


def show(
    shown: Message | None = None,
    *,
    block: str = "content",
    archived: bool = False,
    exchanges: Rows = EXCHANGES,
    calls: Rows = CALLS,
    funnel_values: tuple[str, ...] = ("account-1", "account-2"),
    **values: object,
) -> str:
    shown = shown or message()
    detail = MessageDetail(
        message=shown,
        archived=archived,
        calls=calls,
        exchanges=exchanges,
        funnel_values=list(funnel_values),
        traffic=None,
    )
    context = {
        "detail": detail,
        "message": shown,
        "place": None,
        "actions": ["restart", "cancel"],
        "restore_url": "/restore/",
        "advised": [AdvisedButton(label="Restart 62", icon="restart", url="/messages/62/restart/")],
        "followed": None,
        "following": Following(version="v1", is_ended=False),
        "shown_part": "story",
        "neighbours": Neighbours(newer=72, older=70, query="?state=FAILED"),
        "explanation": EXPLANATION,
        "tries": 2,
        "payload_query": "?find=x",
        "line": Line(members=[], missing=63, circle_at=64, is_cut=True),
        "parents": [relative(61)],
        "roll_up": RollUp(states=[("OK", 65), ("FAILED", 66)], count=131, is_more=False),
        "branch": BRANCH,
        "parent_id": 71,
        "timeline": TIMELINE,
        "failures_only": False,
        "timeline_all": "?all",
        "timeline_failures": "?failures",
        "polling": None,
        "changes": CHANGES,
        "changes_cut": True,
        "named": set(),
        "perms": {"messages_app": {"view_job": True}},
    }
    return show_block("messages_app/messages/detail.html", block=block, **context | values)


def section(name: str, shown: Message | None = None, **values: object) -> list[str]:
    return outline_of(show(shown, **values), within=name)
