"""Routes of the first page and of the handover."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.dashboard import api, views
from messages_app.dashboard.handover_views import handover_page, handover_text, send_text

urlpatterns = [
    path("", views.show_dashboard, name="home"),
    path("dashboard/part/", views.dashboard_part, name="home-part"),
    path("dashboard/guide/", views.put_away, name="guide-away"),
    path("setup/", views.show_setup, name="setup"),
    path("setup/away/", views.put_setup_away, name="setup-away"),
    path("setup/back/", views.bring_setup_back, name="setup-back"),
    path("handover/", handover_page, name="handover"),
    path("handover/text/", handover_text, name="handover-text"),
    path("handover/send/", send_text, name="handover-send"),
]

api_urlpatterns = make_routes(api.CALLS)
