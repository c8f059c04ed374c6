"""Routes of business keys."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.business_keys import api, definition_views, views

urlpatterns = [
    path("keys/", views.key_search, name="keys"),
    path("keys/of-message/<id:msg_id>/", views.keys_part, name="keys-of-message"),
    path("keys/<key:value>/", views.key_page, name="key"),
    path("business-keys/", definition_views.definition_list, name="business-keys"),
    path("business-keys/new/", definition_views.new_definition, name="business-key-new"),
    path(
        "business-keys/<id:business_key_id>/", definition_views.change_definition, name="business-key-change"
    ),
    path(
        "business-keys/<id:business_key_id>/remove/",
        definition_views.remove_definition,
        name="business-key-remove",
    ),
]

api_urlpatterns = make_routes(api.CALLS)
