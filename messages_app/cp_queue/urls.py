"""Routes of the CP queue, below its own address."""

from django.urls import path

from messages_app.cp_queue.api import objects as objects_api
from messages_app.cp_queue.api import operator_calls, reports, service_calls
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
    path(f"{_MESSAGE}reset/", messages.reset_message, name="cp-message-reset"),
    path(f"{_MESSAGE}dispatch/", messages.dispatch_message, name="cp-message-dispatch"),
    path(f"{_MESSAGE}delete/", messages.delete_message, name="cp-message-delete"),
    path(f"{_MESSAGE}send-on/", messages.send_on, name="cp-message-send-on"),
    path("objects/", objects.find_object, name="cp-objects"),
    path("objects/<id:osid>/", objects.object_page, name="cp-object"),
    path("dispatches/", lists.dispatch_list, name="cp-dispatches"),
    path("preview/", objects.preview_pickup, name="cp-preview"),
    path("poll/", objects.poll_queues, name="cp-poll"),
    path("create/", operations.create_messages, name="cp-create"),
    path("reset/", operations.reset_selection, name="cp-reset"),
]

api_urlpatterns = [
    path("create-messages/", service_calls.CreateView.as_view()),
    path("get-next/", service_calls.GetNextView.as_view()),
    path("dispatch/", service_calls.DispatchView.as_view()),
    path("get-next-many/", service_calls.GetNextManyView.as_view()),
    path("dispatch-many/", service_calls.DispatchManyView.as_view()),
    path("dispatch-for-service/", service_calls.DispatchForServiceView.as_view()),
    path("dispatch-all-for-service/", service_calls.DispatchAllForServiceView.as_view()),
    path("reset-service/", service_calls.ResetServiceView.as_view()),
    path("reset/", operator_calls.ResetView.as_view()),
    path("reset-selective/", operator_calls.ResetSelectiveView.as_view()),
    path("delete/", operator_calls.DeleteView.as_view()),
    path("send-on/", operator_calls.SendOnView.as_view()),
    path("pause-queue/", operator_calls.PauseView.as_view()),
    path("resume-queue/", operator_calls.ResumeView.as_view()),
    path("object-info/", objects_api.ObjectInfoView.as_view()),
    path("object-full-text/", objects_api.FullTextView.as_view()),
    path("rendition-changed/", objects_api.RenditionChangedView.as_view()),
    path("process-page-count/", objects_api.ProcessPageCountView.as_view()),
    path("messages/", reports.MessageListView.as_view()),
    path("statistics/", reports.StatisticsView.as_view()),
    path("preview/", reports.PreviewView.as_view()),
    path("dispatches/", reports.DispatchListView.as_view()),
    path("objects/<str:osid>/", reports.ObjectView.as_view()),
]
