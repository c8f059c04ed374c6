"""The timeline and the family of a message over REST. Source: spec/interfaces.md 5."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.messages import queries
from messages_app.messages.acting.refusals import problem_of_refusal
from messages_app.messages.api import message_id
from messages_app.messages.inspecting.serializers import TimelineSerializer, TreeSerializer
from messages_app.messages.inspecting.tree import family
from messages_app.messages.services import MessageNotFound
from messages_app.messages.timeline.history import timeline_of
from messages_app.web.api_schema import READING_ONE, answers


class TimelineView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}

    @extend_schema(responses=answers(200, TimelineSerializer, READING_ONE))
    def get(self, request: Request, msg_id: str) -> Response:
        """
        Give what happened to a message, live or archived, in time order.

        Attempts and waits follow from the state changes; where there is no history of these, only the last
        attempt is known.
        """
        try:
            message, _ = queries.get_message(message_id(msg_id))
        except MessageNotFound as error:
            raise problem_of_refusal(error) from None
        return Response(TimelineSerializer(timeline_of(message)).data)


class TreeView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}

    @extend_schema(responses=answers(200, TreeSerializer, READING_ONE))
    def get(self, request: Request, msg_id: str) -> Response:
        """Give the whole family of a message: its topmost ancestor and all below, live and archived."""
        try:
            found = family(message_id(msg_id))
        except MessageNotFound as error:
            raise problem_of_refusal(error) from None
        return Response(TreeSerializer(found).data)
