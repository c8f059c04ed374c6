"""Over REST: why a message is where it is. Source: spec/interfaces.md 5."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.messages import queries
from messages_app.messages.acting.refusals import problem_of_refusal
from messages_app.messages.api import message_id
from messages_app.messages.explaining.reasons import MEANINGS, NEXT_MEANINGS, By
from messages_app.messages.services import MessageNotFound
from messages_app.web.api_schema import READING_ONE, answers


class NextStepSerializer(serializers.Serializer):
    what = serializers.ChoiceField(choices=list(NEXT_MEANINGS.items()))
    at = serializers.DateTimeField(allow_null=True, help_text="Not before this; null: nobody can tell.")
    latest = serializers.DateTimeField(allow_null=True, help_text="By about this, if the hub runs.")
    by = serializers.ChoiceField(choices=[str(who) for who in By])
    becomes = serializers.CharField(allow_null=True, help_text="The state that it leads to, where known.")


class ExplanationSerializer(serializers.Serializer):
    reason = serializers.ChoiceField(choices=list(MEANINGS.items()))
    summary = serializers.CharField(help_text="Plain sentences, for people; their wording may change.")
    blocked_by = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="The messages that must change first, nearest cause only; for a failure that only "
        "follows from another, its root.",
    )
    next = NextStepSerializer()
    mentions = serializers.ListField(
        child=serializers.IntegerField(), help_text="Every message that the summary names."
    )


class ExplainView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}

    @extend_schema(responses=answers(200, ExplanationSerializer, READING_ONE))
    def get(self, request: Request, msg_id: str) -> Response:
        """Say why a message, live or archived, is where it is, what blocks it, and what comes next."""
        try:
            found = queries.explain(message_id(msg_id))
        except MessageNotFound as error:
            raise problem_of_refusal(error) from None
        # As it stands: the times of `next` are texts already.
        return Response(
            {
                "reason": found.reason,
                "summary": found.summary,
                "blocked_by": found.blocked_by,
                "next": found.next,
                "mentions": found.mentions,
            }
        )
