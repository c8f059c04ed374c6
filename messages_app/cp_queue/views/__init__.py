"""The pages of the CP queue."""

from messages_app.access.decorators import PageViews
from messages_app.core.store_pages import StorePages
from messages_app.cp_queue import registration
from messages_app.cp_queue.selectors import COUNTED
from messages_app.cp_queue.states import OUTCOMES, STATES

VIEWS = PageViews(registration.CAN_VIEW_CP_QUEUE)
PAGES = StorePages(
    folder="cp_queue",
    sections={
        "cp-queues": "Queues",
        "cp-services": "Services",
        "cp-messages": "Messages",
        "cp-objects": "Objects",
        "cp-dispatches": "Dispatch log",
        "cp-preview": "Next pickup",
        "cp-create": "Create",
        "cp-reset": "Reset",
    },
    restricted={
        "cp-create": registration.CAN_STEER_CP_QUEUE,
        "cp-reset": registration.CAN_STEER_CP_QUEUE,
    },
    rights={"may_steer": registration.CAN_STEER_CP_QUEUE},
    shared={"states": STATES, "outcomes": OUTCOMES, "counted": COUNTED},
)
