"""The store of business keys: values from the payloads of messages, by which customers know their orders."""

from messages_app.core.stores import OWN, MenuEntry, MenuGroup, Periodic, Store, make_scope

CAN_CHANGE_KEYS = "messages_app.change_keydefinition"

STORE = Store(
    address="",
    urls="messages_app.business_keys.urls",
    menu=[
        MenuEntry(
            title="Keys",
            url="/keys/",
            icon="key",
            key="g k",
            permission="messages_app.view_message",
            group=MenuGroup.INSIGHT,
            chapter="howto/where_is_my_order",
            position=85,
        ),
        MenuEntry(
            title="Business keys",
            url="/business-keys/",
            icon="bookmark",
            permission=CAN_CHANGE_KEYS,
            group=MenuGroup.ADMIN,
            chapter="how_it_works/business_keys",
            position=50,
        ),
    ],
    models=["messages_app.business_keys.models"],
    functions="messages_app.business_keys.functions",
    tasks=["messages_app.business_keys"],
    periodic={
        "extract-keys": Periodic(
            task="messages_app.business_keys.tasks.extract_keys", seconds=3.0, expires=True
        ),
        "forget-lost-keys": Periodic(
            task="messages_app.business_keys.tasks.forget_lost_keys", seconds=3600.0, expires=True
        ),
    },
    privileges={
        "business_key_definition": (
            OWN,
            "r d w:read,unreadable,missing,unusable,problem,problem_msg_id,problem_at",
            "r",
            "r",
        ),
        "business_key": ("r", "r a d", "r a", "r d"),
        "business_key_erased": ("", "r", "r", "r a"),
        "business_key_pass": ("r", "r a w", "", ""),
        "business_key_read": ("", "r a d", "", ""),
    },
    roles={"admin": frozenset({CAN_CHANGE_KEYS})},
    scopes={"keys:manage": make_scope("Add, change and remove business keys.", CAN_CHANGE_KEYS)},
    erasure="messages_app.erasure.business_keys",
)
