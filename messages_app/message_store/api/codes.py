"""A status of the store as the API shows it. Another writer's codes are shown as they are."""

from messages_app.message_store.states import NAMES, Status
from messages_app.web.codes import CodeField


def status_code_field(**kwargs: object) -> CodeField:
    return CodeField("StoreStatusCode", Status, is_open=True, **kwargs)


def status_name_field(**kwargs: object) -> CodeField:
    return CodeField("StoreStatusName", NAMES.values(), is_open=True, **kwargs)
