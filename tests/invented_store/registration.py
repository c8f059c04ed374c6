"""
The store of the recipe "Add a store" in docs/contributing/recipes.md, with the other parts that a store may
have.
"""

from dataclasses import replace

from messages_app.core.stores import Periodic, StoreTile, Worker
from tests.support.recipes import run_block

_RECIPE = run_block("Add a store", defines="STORE")
CAN_VIEW, CAN_ACT = _RECIPE["CAN_VIEW"], _RECIPE["CAN_ACT"]

STORE = replace(
    _RECIPE["STORE"],
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
            template="invented_tile.html",
            permission=CAN_VIEW,
            position=5,
        )
    ],
    roles={"operator": frozenset({CAN_ACT}), "invented_service": frozenset({CAN_ACT})},
    service_rights=frozenset({CAN_ACT}),
    job_items="tests.invented_store.job_items",
    look_up_right=CAN_VIEW,
    subjects={"invented": ("Invented", "message-detail")},
    enums={"InventedEnum": "tests.invented_store.code.STATES"},
    areas={"invented": "the invented things"},
)
