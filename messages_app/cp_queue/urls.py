"""Routes of the CP queue, below its own address."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.cp_queue.api import dispatch_many, operator_calls, reports, service_calls
from messages_app.cp_queue.api import objects as objects_api
from messages_app.cp_queue.views import lists, messages, objects, operations, queues, services

_MESSAGE = "messages/<key:guid>/"

urlpatterns = [
    path("", queues.queue_list, name="cp-queues"),
    path("queue/", queues.queue_page, name="cp-queue"),
    path("queue/pause/", queues.switch_queue, {"how": "pause"}, name="cp-queue-pause"),
    path("queue/resume/", queues.switch_queue, {"how": "resume"}, name="cp-queue-resume"),
    path("services/", services.service_list, name="cp-services"),
    path("services/dispatch/", services.dispatch_service, name="cp-dispatch-service"),
    path("messages/", lists.message_list, name="cp-messages"),
    path(_MESSAGE, messages.message_page, name="cp-message"),
    *(
        path(f"{_MESSAGE}{name}/", messages.act_on_message, {"action": action}, name=f"cp-message-{name}")
        for action in messages.ACTIONS
        for name in [action.replace("_", "-")]
    ),
    path("objects/", objects.find_object, name="cp-objects"),
    path("objects/<id:osid>/", objects.object_page, name="cp-object"),
    path("dispatches/", lists.dispatch_list, name="cp-dispatches"),
    path("preview/", objects.preview_pickup, name="cp-preview"),
    path("poll/", objects.poll_queues, name="cp-poll"),
    path("create/", operations.create_messages, name="cp-create"),
    path("reset/", operations.reset_selection, name="cp-reset"),
]

api_urlpatterns = make_routes(
    [
        *service_calls.CALLS,
        *dispatch_many.CALLS,
        *operator_calls.CALLS,
        *objects_api.CALLS,
        *reports.CALLS,
    ]
)
