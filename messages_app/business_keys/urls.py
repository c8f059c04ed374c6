"""Routes of business keys."""

from django.urls import URLPattern

from messages_app.access.calls import make_routes
from messages_app.business_keys import api

urlpatterns: list[URLPattern] = []

api_urlpatterns = make_routes(api.CALLS)
