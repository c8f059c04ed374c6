"""The message store as one of the stores."""

from messages_app.core.stores import (
    OWN,
    MenuEntry,
    MenuGroup,
    Periodic,
    Store,
    StoreTile,
    Worker,
    make_scope,
)

CAN_VIEW_STORE = "messages_app.view_messagestore"
CAN_STORE_MESSAGES = "messages_app.add_messagestore"
CAN_REPROCESS = "messages_app.reprocess_messagestore"
CAN_CHANGE_DEFINITIONS = "messages_app.change_sourcedefinition"

_START = "w:status,next_attempt_timestamp,error_message"
_ATTEMPT = f"{_START},processed_timestamp"
# A message is processed by a worker, or in the request that asks for it.
_RECORD = "r a d w:data,message_timestamp,source_message,valid_to"

STORE = Store(
    address="message-store/",
    urls="messages_app.message_store.urls",
    menu=[
        MenuEntry(
            title="Message store",
            url="/message-store/",
            icon="store",
            key="g s",
            permission=CAN_VIEW_STORE,
            group=MenuGroup.STORES,
            chapter="how_it_works/message_store",
            position=70,
        )
    ],
    models=["messages_app.message_store.models", "messages_app.message_store.monitor_models"],
    admin="messages_app.message_store.admin",
    functions="messages_app.message_store.functions",
    tasks=["messages_app.message_store"],
    # They run while messages wait.
    queues={"messages_app.message_store.tasks.work_message_store": "store"},
    # It has as many processes as the monitor has work for; administrators change the monitor's settings.
    workers=[
        Worker(
            name="store-worker",
            queue="store",
            least="MESSAGE_STORE_THREADS",
            most="MESSAGE_STORE_MOST_THREADS",
        )
    ],
    periodic={
        # The vendor's monitor.interval, and editable as there: docs/contributing/spec/message_store.md,
        # "Monitor and retries".
        "monitor-message-store": Periodic(
            task="messages_app.message_store.tasks.monitor_message_store",
            seconds="MESSAGE_STORE_INTERVAL",
            expires=True,
        )
    },
    tiles=[
        StoreTile(
            name="store",
            template="messages_app/message_store/_tile.html",
            permission=CAN_VIEW_STORE,
            position=30,
        )
    ],
    privileges={
        "message_store": ("r a", "r", "r", "r d"),
        "message_process": (f"r a {_ATTEMPT}", f"r a {_ATTEMPT}", f"r {_START}", "r d"),
        "message_history": ("r a", "r a", "r d", "r d"),
        "archive_message_history": ("r", "r", "r a", "r d"),
        "message_line": ("r a w", "r a w", "r w", "r w d"),
        "message_count": ("r", OWN, "", ""),
        "message_count_change": ("r a", "r a d w:change", "a", "a"),
        "source_definition": (OWN, "r", "", ""),
        "store_setting": (OWN, "r", "", ""),
        "store_scan": ("r", "r a w", "", ""),
        "store_timeout": ("r", "r a w d", "", ""),
        "target_record": (_RECORD, _RECORD, "", "r d"),
        "entity_refresh": ("r a", "r a", "", "r d"),
        "unresolved_reference": ("r a d", "r a d", "r", "r d"),
    },
    roles={
        "support": frozenset({CAN_VIEW_STORE}),
        "operator": frozenset({CAN_STORE_MESSAGES, CAN_REPROCESS}),
        "admin": frozenset({CAN_CHANGE_DEFINITIONS}),
    },
    scopes={
        "store:read": make_scope("Read the message store. Data is masked.", CAN_VIEW_STORE),
        "store:send": make_scope("Send messages to the store.", CAN_STORE_MESSAGES),
        "store:act": make_scope("Reprocess, retry, release and mute its messages.", CAN_REPROCESS),
        "store:manage": make_scope("Add and remove source definitions.", CAN_CHANGE_DEFINITIONS),
    },
    service_rights=frozenset({CAN_STORE_MESSAGES}),
    job_items="messages_app.jobs.stores.message_store",
    erasure="messages_app.erasure.message_store",
    look_up_right=CAN_VIEW_STORE,
    areas={"store": "the lines of the message store"},
    subjects={
        "store_message": ("Store message", "store-message"),
        "definition": ("Source definition", "source-definition"),
    },
)
