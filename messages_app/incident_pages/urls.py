"""Routes of incidents."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.incident_pages import actions, api, undo_views, views

_INCIDENT = "incidents/<id:incident_id>/"

urlpatterns = [
    path("incidents/", views.incident_list, name="incident-list"),
    path(_INCIDENT, views.incident_page, name="incident"),
    *(
        path(f"{_INCIDENT}{how}/", actions.change_incident, {"how": how}, name=f"incident-{how}")
        for how in actions.FORMS
    ),
    *(
        path(f"{_INCIDENT}undo-{how}/", undo_views.undo_decision, {"how": how}, name=f"incident-undo-{how}")
        for how in undo_views.UNDOABLE
    ),
]

api_urlpatterns = make_routes(api.CALLS)
