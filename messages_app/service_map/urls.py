"""Routes of the map, and of the pages of services and systems."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.service_map import api, participant_views, target_views, views
from messages_app.service_map.participants import Kind

urlpatterns = [path("map/", views.show_map, name="map")]
urlpatterns += [
    path(f"{kind}s/<key:name>/", participant_views.show_participant, {"kind": kind}, name=str(kind))
    for kind in Kind
]
urlpatterns += [
    path(f"{kind}s/<key:name>/targets/", target_views.change_targets, {"kind": kind}, name=f"{kind}-targets")
    for kind in Kind
]

api_urlpatterns = make_routes(api.CALLS)
