from messages_app.core.stores import MenuEntry, Periodic, Store, StoreTile, TriggerArea, Worker, make_scope

CAN_VIEW = "messages_app.view_message"
CAN_ACT = "messages_app.change_invented"

STORE = Store(
    address="invented/",
    urls="tests.invented_store.code",
    menu=[MenuEntry(title="Invented", url="/invented/", icon="store", permission=CAN_VIEW, position=85)],
    models=["tests.invented_store.code"],
    tasks=["tests.invented_store"],
    queues={"tests.invented_store.tasks.sweep": "invented"},
    workers=[Worker(name="invented-worker", queue="invented", least="INVENTED_LEAST", most="INVENTED_MOST")],
    periodic={
        "sweep-invented": Periodic(
            task="tests.invented_store.tasks.sweep", seconds="INVENTED_INTERVAL", expires=True
        )
    },
    tiles=[
        StoreTile(
            name="invented",
            read="tests.invented_store.code.tile",
            template="invented_tile.html",
            permission=CAN_VIEW,
            position=5,
        )
    ],
    privileges={"invented": ("r a", "r w:state", "", "r d")},
    roles={"operator": frozenset({CAN_ACT}), "invented_service": frozenset({CAN_ACT})},
    scopes={"invented:act": make_scope("Act on what is invented.", CAN_ACT, confined_to="thing")},
    service_rights=frozenset({CAN_ACT}),
    job_items="tests.invented_store.job_items.THINGS",
    erasure="tests.invented_store.code",
    look_up="tests.invented_store.code.look_up",
    look_up_right=CAN_VIEW,
    subjects={"invented": ("Invented", "message-detail")},
    enums={"InventedEnum": "tests.invented_store.code.STATES"},
    name_checks={"thing": "tests.invented_store.code.is_thing"},
    drawn=["tests.invented_store.code.Drawn"],
    areas={
        "invented": TriggerArea(
            recorded="the invented things", rebuild="tests.invented_store.code.rebuild_things"
        )
    },
    checks={"invented": "tests.invented_store.code.check"},
)
