"""The CP queue as one of the stores."""

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

CAN_VIEW_CP_QUEUE = "messages_app.view_cpmessage"
CAN_PULL_CP_MESSAGES = "messages_app.pull_cp_messages"
CAN_STEER_CP_QUEUE = "messages_app.steer_cp_messages"

STORE = Store(
    address="cp-queue/",
    urls="messages_app.cp_queue.urls",
    menu=[
        MenuEntry(
            title="CP queue",
            url="/cp-queue/",
            icon="queue",
            key="g q",
            permission=CAN_VIEW_CP_QUEUE,
            group=MenuGroup.STORES,
            chapter="how_it_works/cp_queue",
            position=80,
            count="stopped_services",
            counted="stopped services",
        )
    ],
    models=["messages_app.cp_queue.models"],
    admin="messages_app.cp_queue.admin",
    functions="messages_app.cp_queue.functions",
    tasks=["messages_app.cp_queue"],
    periodic={"forget-cp-log": Periodic(task="messages_app.cp_queue.tasks.forget_old_log", seconds=600.0)},
    tiles=[
        StoreTile(
            name="cp_queue",
            template="messages_app/cp_queue/_tile.html",
            permission=CAN_VIEW_CP_QUEUE,
            position=10,
        )
    ],
    privileges={
        "oscpmqueue": ("r a d w:lock_service,checkguid", "r a", "", "r d"),
        "cp_ready": ("r", "", "", ""),
        "cp_deferred": ("r a d w:lock_service,checkguid", "r", "", "r d"),
        "cp_retry": ("r a d w:attempts", "", "", "r d"),
        "cp_reservation": (OWN, "r", "", "r d"),
        "cp_dispatch": ("r a", "r d", "", "r d"),
        "cp_lost_pickup": ("r a w:lost", "r d", "", ""),
        "cp_fence": ("r a d", "", "", ""),
        "cp_pause": ("r a d", "r", "", ""),
        "cp_service": ("r a w:last_poll,queues", "r d", "", ""),
    },
    roles={
        "support": frozenset({CAN_VIEW_CP_QUEUE}),
        "operator": frozenset({CAN_PULL_CP_MESSAGES, CAN_STEER_CP_QUEUE}),
        # For tokens of services that only pull work.
        "cp_service": frozenset({CAN_PULL_CP_MESSAGES}),
    },
    role_texts={
        "cp_service": RoleText("CP service", "Only pulls and dispatches CP messages.", is_for_programs=True)
    },
    scopes={
        "queue:read": make_scope("Read the CP queue and its statistics.", CAN_VIEW_CP_QUEUE),
        "queue:consume": make_scope(
            "Create, pull and dispatch CP messages, reset a service; with `payload:read` also read the texts "
            "of their objects.",
            CAN_PULL_CP_MESSAGES,
            confined_to="queue",
        ),
        "queue:act": make_scope(
            "Reset, dispatch, delete, send on, pause queues.", CAN_STEER_CP_QUEUE, confined_to="queue"
        ),
    },
    service_rights=frozenset({CAN_PULL_CP_MESSAGES}),
    erasure="messages_app.erasure.cp_queue",
    look_up_right=CAN_VIEW_CP_QUEUE,
    subjects={"cp_message": ("CP message", "cp-message")},
    enums={
        "CpStateEnum": "messages_app.cp_queue.api.reports.STATES",
        # Its field would have the name of another call's reason.
        "CpRenditionChangeEnum": "messages_app.cp_queue.api.objects.CHANGES",
    },
)
