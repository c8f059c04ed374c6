"""The routes of the console, and the style guide, which is otherwise only routed for debugging."""

from django.urls import path

from hubconsole import urls
from hubconsole.urls import handler400, handler403, handler404, handler500
from messages_app.core.styleguide import show_styleguide

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

urlpatterns = [*urls.urlpatterns, path("styleguide/", show_styleguide)]
