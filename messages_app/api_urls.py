"""Routes of /api/v1/."""

from django.contrib.auth.decorators import login_required
from django.urls import path

from messages_app.jobs import api as jobs
from messages_app.messages import api as messages
from messages_app.web.api_docs import SchemaView, docs_page

urlpatterns = [
    path("messages/", messages.MessageListView.as_view()),
    path("messages/count/", messages.MessageCountView.as_view()),
    path("messages/<str:msg_id>/", messages.MessageView.as_view()),
    path("messages/<str:msg_id>/payload/", messages.ContentView.as_view(column="payload")),
    path("messages/<str:msg_id>/envelope/", messages.ContentView.as_view(column="envelope")),
    path("messages/<str:msg_id>/cancel/", messages.CancelView.as_view()),
    path("messages/<str:msg_id>/restart/", messages.RestartView.as_view()),
    path("jobs/", jobs.JobListView.as_view()),
    path("jobs/<str:job_id>/", jobs.JobView.as_view()),
    path("jobs/<str:job_id>/items/", jobs.JobItemsView.as_view()),
    path("jobs/<str:job_id>/stop/", jobs.JobStopView.as_view()),
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("docs/", login_required(docs_page), name="api-docs"),
]
