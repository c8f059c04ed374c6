"""Correct and resend one message over REST. Source: docs/contributing/spec/interfaces.md, "Messages"."""

from messages_app.access import roles
from messages_app.access.calls import Action
from messages_app.core.serializers import StrictBooleanField, StrictCharField
from messages_app.messages import api
from messages_app.messages.corrections.services import may_resend, resend_message
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
        errors=api.refusals_as_problems,
        description=(
            "Send a corrected payload as a new message, and cancel the original unless `cancel_original` is"
            " false.\n\nThe caller also needs `view_payload`. A message can be resent once; correct the new"
            " message if it fails too."
        ),
    ),
]
