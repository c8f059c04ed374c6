"""Routes of notes."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.note_pages import api, views

urlpatterns = [
    path("notes/<str:kind>/<id:subject>/", views.write_note, name="note-new"),
    path("notes/<id:note_id>/delete/", views.remove_note, name="note-delete"),
    path("notes/<id:note_id>/undo-delete/", views.undo_removal, name="note-undo-delete"),
    path("mentions/", views.mention_list, name="mentions"),
]

api_urlpatterns = make_routes(api.CALLS)
