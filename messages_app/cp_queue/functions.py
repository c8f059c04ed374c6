"""The functions of the CP queue that shared code calls."""

from messages_app.core.store_functions import StoreFunctions
from messages_app.cp_queue.parameters import is_queue_name
from messages_app.cp_queue.selectors import count_stopped_services, make_tile
from messages_app.cp_queue.selectors.incident_source import FAILURES
from messages_app.cp_queue.states import Outcome
from messages_app.cp_queue.views.messages import look_up

FUNCTIONS = StoreFunctions(
    tiles={"cp_queue": make_tile},
    name_checks={"queue": is_queue_name},
    drawn=[Outcome],
    look_up=look_up,
    failures=FAILURES,
    menu_counts={"stopped_services": count_stopped_services},
)
