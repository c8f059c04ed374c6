"""The page of one message."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.messages.inspecting.detail import MessageDetail, message_detail
from messages_app.messages.services import MessageNotFound, rules
from messages_app.messages.states import MessageAction

_RIGHTS = {MessageAction.CANCEL: roles.CAN_CANCEL, MessageAction.RESTART: roles.CAN_RESTART}


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def message_page(request: HttpRequest, msg_id: int) -> HttpResponse:
    detail = detail_or_404(msg_id)
    context = {
        "detail": detail,
        "message": detail.message,
        "actions": offered_actions(request, detail),
        "may_read_payload": request.user.has_perm(roles.CAN_VIEW_PAYLOAD),
    }
    return render(request, "messages_app/messages/detail.html", context)


def detail_or_404(msg_id: int) -> MessageDetail:
    try:
        return message_detail(msg_id)
    except MessageNotFound as error:
        raise Http404(str(error)) from error


def may_act(request: HttpRequest, action: MessageAction) -> bool:
    return request.user.has_perm(_RIGHTS[action])


def offered_actions(request: HttpRequest, detail: MessageDetail) -> list[MessageAction]:
    """Return what this reader may do to this message now."""
    if detail.archived:
        return []
    return [action for action in rules().allowed_actions(detail.message.state) if may_act(request, action)]
