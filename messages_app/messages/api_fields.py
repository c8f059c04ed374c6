"""States of the hub's tables as fields of the API. The hub may write others, which are shown as they are."""

from typing import Any

from messages_app.core.api_schema import CodeField
from messages_app.shared.message_states import ExternalCallState, MessageState, ParentBinding


def message_state(**kwargs: Any) -> CodeField:
    return CodeField("MessageState", MessageState, is_open=True, **kwargs)


def external_call_state(**kwargs: Any) -> CodeField:
    return CodeField("ExternalCallState", ExternalCallState, is_open=True, **kwargs)


def parent_binding(**kwargs: Any) -> CodeField:
    return CodeField("ParentBinding", ParentBinding, is_open=True, allow_null=True, **kwargs)
