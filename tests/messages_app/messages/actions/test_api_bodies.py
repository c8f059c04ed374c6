"""The body of a restart preview has the value of each figure in its own member."""

from datetime import UTC, datetime

import pytest

from messages_app.core.representation import represent_value
from messages_app.messages.actions.api import PlannedCallSerializer, RestartPreviewSerializer
from messages_app.messages.actions.effects import Effect, EffectCode
from messages_app.messages.actions.planned_calls import LastRequest, PlannedCall
from messages_app.messages.actions.preview import RestartPreview
from messages_app.shared.external_calls import WillBe
from tests.support.distinct_rows import check_body

EFFECTS = {
    "correction": EffectCode.SENT_BEFORE,
    "parent": EffectCode.PARENT_HEALS,
    "children": EffectCode.CHILDREN_TWICE,
    "order": EffectCode.ORDER_FIRST,
    "funnel": EffectCode.FUNNEL_HELD,
    "archive": EffectCode.ARCHIVE_LATER,
}


def test_has_each_call_with_its_own_values():
    at = datetime(2026, 11, 2, 12, 1, tzinfo=UTC)
    fixed = {"state": "FAILED", "will_be": WillBe.SENT_AGAIN}
    check_body(PlannedCallSerializer, PlannedCall, last_request=None, **fixed)
    call = PlannedCall(
        call_id=1,
        msg_id=2,
        operation_name="direct:a",
        entity_id="e",
        why="w",
        is_repeated=True,
        last_request=LastRequest(req_id=3, req_timestamp=at),
        **fixed,
    )
    body = represent_value(PlannedCallSerializer, call)
    assert body["last_request"] == {"req_id": 3, "req_timestamp": "2026-11-02T12:01:00Z"}


@pytest.mark.parametrize("flag", ["total", "allowed", "calls_more"])
@pytest.mark.parametrize("absent", ["correction", "parent", "order", "funnel"])
def test_has_each_effect_and_figure_of_its_own(flag, absent):
    effects = {
        name: None if name == absent else Effect(code=code, text=f"text of {name}", msg_ids=(place,))
        for place, (name, code) in enumerate(EFFECTS.items())
    }
    figures = {
        "msg_id": 31,
        "state": "PARTLY_FAILED",
        "why_not": "it runs",
        "failed_count": 32,
        "tries_left": 33,
    }
    flags = {name: name == flag for name in ("total", "allowed", "calls_more")}
    preview = RestartPreview(
        picked_up_from=datetime(2026, 11, 2, 12, 1, tzinfo=UTC),
        picked_up_until=datetime(2026, 11, 2, 12, 2, tzinfo=UTC),
        calls=[],
        **figures,
        **flags,
        **effects,
    )
    assert represent_value(RestartPreviewSerializer, preview) == {
        **figures,
        **flags,
        "picked_up_from": "2026-11-02T12:01:00Z",
        "picked_up_until": "2026-11-02T12:02:00Z",
        "calls": [],
        **{
            name: None
            if name == absent
            else {"code": str(code), "text": f"text of {name}", "msg_ids": [place], "is_warning": False}
            for place, (name, code) in enumerate(EFFECTS.items())
        },
    }
