"""Correct and resend one message over REST. Source: docs/contributing/spec/interfaces.md, "Messages"."""

from messages_app.access import roles
from messages_app.access.calls import Action
from messages_app.core.problems import Extra, Problem, problems_for
from messages_app.core.serializers import StrictBooleanField, StrictCharField
from messages_app.messages import api
from messages_app.messages.corrections.services import AlreadyResent, may_resend, resend_message
from messages_app.messages.services import ActionRefused, MessageNotFound
from messages_app.shared.corrected_payloads import MAX_EDITED_BYTES


class ResendSerializer(api.CancelSerializer):
    payload = StrictCharField(
        trim_whitespace=False,
        help_text=(
            f"The corrected payload, up to {MAX_EDITED_BYTES} bytes. If the original is XML or JSON, it must"
            " be well-formed text of the same type."
        ),
    )
    cancel_original = StrictBooleanField(default=True, help_text="false: the original stays FAILED.")


def problem_of_refusal(error: ActionRefused | MessageNotFound) -> Problem:
    """Return the problem, which names the new message if the original was resent before."""
    if not isinstance(error, AlreadyResent):
        return api.problem_of_refusal(error)
    extra: Extra = {"current_state": error.current_state, "resent_as": error.resent_as}
    return Problem(409, "already_resent", str(error), extra=extra)


CALLS = [
    Action(
        "messages/<str:msg_id>/resend/",
        resend_message,
        key=api.message_id,
        right=roles.CAN_EDIT_PAYLOAD,
        may_call=may_resend,
        audited_as="resend",
        body=ResendSerializer,
        answer=api.MessageSerializer,
        statuses=(201,),
        location="messages/{msg_id}/",
        errors=problems_for({ActionRefused: problem_of_refusal, MessageNotFound: problem_of_refusal}),
        description=(
            "Send a corrected payload as a new message, and cancel the original unless `cancel_original` is"
            " false.\n\nThe caller also needs `view_payload`. A message can be resent once; correct the new"
            " message if it fails too."
        ),
    ),
]
