"""
The roles and what each may do: the only table of permissions.

Source: docs/spec/interfaces.md, "Pages and roles".
"""

from django.contrib.auth.models import Group, Permission

CAN_CANCEL = "messages_app.cancel_message"
CAN_RESTART = "messages_app.restart_message"
CAN_VIEW_MESSAGES = "messages_app.view_message"
CAN_VIEW_PAYLOAD = "messages_app.view_payload"
CAN_VIEW_JOBS = "messages_app.view_job"
CAN_VIEW_AUDIT = "messages_app.view_auditentry"
CAN_ARCHIVE = "messages_app.archive_messages"
CAN_MAKE_TOKENS = "messages_app.add_apitoken"
CAN_CHANGE_SHARED_VIEWS = "messages_app.change_savedview"
CAN_VIEW_DOCUMENT_HISTORY = "messages_app.view_documenthistory"
CAN_CHECK_DOCUMENTS = "messages_app.check_documents"
CAN_TAKE_DOCUMENTS = "messages_app.take_documents"
CAN_RESOLVE_DOCUMENTS = "messages_app.resolve_documents"
CAN_SWEEP_DOCUMENTS = "messages_app.sweep_documents"
CAN_CHANGE_TRIGGERS = "messages_app.change_documenttrigger"
CAN_CHANGE_WATCH_RULES = "messages_app.change_watchrule"
CAN_CHANGE_GROUPS = "messages_app.change_failuregroup"
CAN_CHANGE_CATALOGUE = frozenset(
    f"messages_app.{act}_errorcode" for act in ("add", "change", "delete", "view")
)
CAN_VIEW_STORE = "messages_app.view_messagestore"
CAN_STORE_MESSAGES = "messages_app.add_messagestore"
CAN_REPROCESS = "messages_app.reprocess_messagestore"
CAN_CHANGE_DEFINITIONS = "messages_app.change_sourcedefinition"
CAN_VIEW_CP_QUEUE = "messages_app.view_cpmessage"
CAN_PULL_CP_MESSAGES = "messages_app.pull_cp_messages"
CAN_STEER_CP_QUEUE = "messages_app.steer_cp_messages"

# What programs do for each message or document: their calls have a limit of their own.
SERVICE_RIGHTS = frozenset({CAN_PULL_CP_MESSAGES, CAN_CHECK_DOCUMENTS, CAN_STORE_MESSAGES})

_SUPPORT = frozenset(
    {
        CAN_VIEW_MESSAGES,
        CAN_VIEW_JOBS,
        CAN_VIEW_AUDIT,
        CAN_VIEW_DOCUMENT_HISTORY,
        CAN_VIEW_STORE,
        CAN_VIEW_CP_QUEUE,
    }
)
_OPERATOR = _SUPPORT | {
    CAN_CANCEL,
    CAN_RESTART,
    CAN_CHECK_DOCUMENTS,
    CAN_RESOLVE_DOCUMENTS,
    CAN_CHANGE_GROUPS,
    CAN_PULL_CP_MESSAGES,
    CAN_STEER_CP_QUEUE,
    CAN_STORE_MESSAGES,
    CAN_REPROCESS,
}
_ADMIN = _OPERATOR | {
    CAN_ARCHIVE,
    CAN_MAKE_TOKENS,
    CAN_CHANGE_SHARED_VIEWS,
    CAN_SWEEP_DOCUMENTS,
    CAN_CHANGE_TRIGGERS,
    CAN_CHANGE_WATCH_RULES,
    *CAN_CHANGE_CATALOGUE,
    CAN_CHANGE_DEFINITIONS,
}

# view_payload is apart: it is given to a person, or to the group of its name, next to a role.
ROLES = {
    "support": _SUPPORT,
    "operator": _OPERATOR,
    "admin": _ADMIN,
    "view_payload": frozenset({CAN_VIEW_PAYLOAD}),
    # For the tokens of services that pull work, and do nothing else.
    "cp_service": frozenset({CAN_PULL_CP_MESSAGES}),
    # The code of a trigger: it is given the documents that it processes, with their contents.
    "history_service": frozenset({CAN_CHECK_DOCUMENTS, CAN_TAKE_DOCUMENTS}),
}


def write_roles() -> None:
    """Make the groups of ROLES, each with exactly its permissions. A migration calls this after a change."""
    for role, names in ROLES.items():
        codenames = [name.split(".")[1] for name in names]
        group, _ = Group.objects.get_or_create(name=role)
        group.permissions.set(
            Permission.objects.filter(content_type__app_label="messages_app", codename__in=codenames)
        )
