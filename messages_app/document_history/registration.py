"""The document history as one of the stores."""

from messages_app.core.stores import (
    OWN,
    MenuEntry,
    MenuGroup,
    Periodic,
    RoleText,
    Store,
    StoreTile,
    make_scope,
)

CAN_VIEW_DOCUMENT_HISTORY = "messages_app.view_documenthistory"
CAN_CHECK_DOCUMENTS = "messages_app.check_documents"
CAN_TAKE_DOCUMENTS = "messages_app.take_documents"
CAN_RESOLVE_DOCUMENTS = "messages_app.resolve_documents"
CAN_SWEEP_DOCUMENTS = "messages_app.sweep_documents"
CAN_CHANGE_TRIGGERS = "messages_app.change_documenttrigger"

STORE = Store(
    address="document-history/",
    urls="messages_app.document_history.urls",
    menu=[
        MenuEntry(
            title="Document history",
            url="/document-history/",
            icon="documents",
            key="g d",
            permission=CAN_VIEW_DOCUMENT_HISTORY,
            group=MenuGroup.STORES,
            chapter="how_it_works/document_history",
            position=60,
            count="in_doubt",
            counted="in doubt",
        )
    ],
    models=["messages_app.document_history.models"],
    admin="messages_app.document_history.admin",
    functions="messages_app.document_history.functions",
    tasks=["messages_app.document_history"],
    periodic={
        # The vendor's ten minutes: docs/contributing/spec/document_history.md, "Retention".
        "sweep-document-history": Periodic(
            task="messages_app.document_history.tasks.sweep_document_history", seconds=600.0
        )
    },
    tiles=[
        StoreTile(
            name="documents",
            template="messages_app/document_history/_tile.html",
            permission=CAN_VIEW_DOCUMENT_HISTORY,
            position=20,
        )
    ],
    privileges={
        "document_history": ("r a d w:time", "r d", "", "r d"),
        "document_history_line": ("r", "", "", ""),
        "document_open": ("r a d w:time", "r d", "", "r d"),
        "document_content": ("r a d w:sha256,time", "r d", "", "r d"),
        "document_in_doubt": (OWN, "r", "", "r d"),
        "document_outcome": ("r a d", "r d", "", "r d"),
        "document_sweep": ("r a w d", "r a w d", "", ""),
        "document_trigger": ("r a w", "r", "", "r"),
    },
    roles={
        "support": frozenset({CAN_VIEW_DOCUMENT_HISTORY}),
        "operator": frozenset({CAN_CHECK_DOCUMENTS, CAN_RESOLVE_DOCUMENTS}),
        "admin": frozenset({CAN_SWEEP_DOCUMENTS, CAN_CHANGE_TRIGGERS}),
        # The code of a trigger, which receives the documents to process with their contents.
        "history_service": frozenset({CAN_CHECK_DOCUMENTS, CAN_TAKE_DOCUMENTS}),
    },
    role_texts={
        "history_service": RoleText(
            "History service", "Only checks documents and takes resubmitted ones.", is_for_programs=True
        )
    },
    scopes={
        "history:read": make_scope(
            "Read the document history and triggers, start dry runs.", CAN_VIEW_DOCUMENT_HISTORY
        ),
        "history:use": make_scope(
            "Check, complete and abandon documents.", CAN_CHECK_DOCUMENTS, confined_to="trigger"
        ),
        "history:take": make_scope(
            "Take resubmitted documents with their unmasked contents.",
            CAN_TAKE_DOCUMENTS,
            confined_to="trigger",
        ),
        "history:act": make_scope("Resubmit and settle documents in doubt.", CAN_RESOLVE_DOCUMENTS),
        "history:manage": make_scope(
            "Add and change triggers, clear statistics, remove expired entries.",
            CAN_CHANGE_TRIGGERS,
            CAN_SWEEP_DOCUMENTS,
        ),
    },
    service_rights=frozenset({CAN_CHECK_DOCUMENTS}),
    erasure="messages_app.erasure.document_history",
    look_up_right=CAN_VIEW_DOCUMENT_HISTORY,
    subjects={"in_doubt": ("In doubt", "in-doubt"), "trigger": ("Trigger", "document-trigger")},
    # The same set of values under the names that different answers use.
    enums={"DocumentStateEnum": "messages_app.document_history.api.checks.PAIRS"},
    areas={"documents": "the list of open documents"},
)
