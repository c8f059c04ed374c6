"""States of the hub's tables as fields of the API. The hub may write others, which are shown as they are."""

from messages_app.messages.states import ExternalCallState, MessageState, ParentBinding
from messages_app.web.codes import CodeField


def message_state(**kwargs: object) -> CodeField:
    return CodeField("MessageState", MessageState, is_open=True, **kwargs)


def external_call_state(**kwargs: object) -> CodeField:
    return CodeField("ExternalCallState", ExternalCallState, is_open=True, **kwargs)


def parent_binding(**kwargs: object) -> CodeField:
    return CodeField("ParentBinding", ParentBinding, is_open=True, allow_null=True, **kwargs)
