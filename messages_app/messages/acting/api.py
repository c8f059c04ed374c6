"""What a restart would do, over REST. Source: spec/interfaces.md 5."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.messages import queries, services
from messages_app.messages.acting.preview import restart_preview
from messages_app.messages.acting.refusals import problem_of_refusal
from messages_app.messages.acting.serializers import RestartPreviewSerializer
from messages_app.messages.api import message_id
from messages_app.web.api_schema import READING_ONE, answers
from messages_app.web.clock import database_clock
from messages_app.web.parameters import flag

_TOTAL = OpenApiParameter(
    "total",
    {"type": "string", "enum": ["true", "false"], "default": "false"},
    description="Preview a restart from scratch.",
)


class RestartPreviewView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = frozenset({"total"})

    @extend_schema(parameters=[_TOTAL], responses=answers(200, RestartPreviewSerializer, READING_ONE))
    def get(self, request: Request, msg_id: str) -> Response:
        """Tell what a restart would do: calls skipped and sent again, tries left, what follows for others."""
        total = flag("total", self.values.get("total"))
        try:
            message, _ = queries.get_message(message_id(msg_id))
        except services.MessageNotFound as error:
            raise problem_of_refusal(error) from None
        preview = restart_preview(message, total=total, at=database_clock())
        return Response(RestartPreviewSerializer(preview).data)
