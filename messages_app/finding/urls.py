"""Routes of the search of every page."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.finding import api, pin_views, views

urlpatterns = [
    path("messages/find/", views.find_message, name="find"),
    path("messages/find/part/", views.show_matches, name="find-part"),
    *(
        path(f"me/{how}/", pin_views.change_pin, {"how": how}, name=how)
        for how in (pin_views.PIN, pin_views.UNPIN)
    ),
]

api_urlpatterns = make_routes(api.CALLS)
