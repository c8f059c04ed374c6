"""Routes of the search of every page."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.finding import api, views

urlpatterns = [
    path("messages/find/", views.find_message, name="find"),
    path("messages/find/part/", views.show_matches, name="find-part"),
]

api_urlpatterns = make_routes(api.CALLS)
