"""Routes of the manual. The last one has all chapters and pictures, which `show_chapter` knows by name."""

from django.urls import path

from messages_app.manual.views import show_chapter, show_results

urlpatterns = [
    path("", show_chapter, name="manual"),
    path("search/", show_results, name="manual-search"),
    path("<path:path>", show_chapter, name="manual-chapter"),
]
