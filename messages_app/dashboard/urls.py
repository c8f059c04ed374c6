"""Routes of the first page and of the handover."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.dashboard import api, views
from messages_app.dashboard.handover_views import handover_page

urlpatterns = [
    path("", views.show_dashboard, name="home"),
    path("dashboard/part/", views.dashboard_part, name="home-part"),
    path("dashboard/guide/", views.put_away, name="guide-away"),
    path("handover/", handover_page, name="handover"),
]

api_urlpatterns = make_routes(api.CALLS)
