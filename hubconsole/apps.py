"""Puts our admin site in the place of the framework's."""

from django.contrib.admin.apps import AdminConfig


class HubConsoleAdminConfig(AdminConfig):
    """Is in INSTALLED_APPS for django.contrib.admin, so that every app registers on our site."""

    default_site = "hubconsole.site.HubConsoleSite"

    def ready(self) -> None:
        super().ready()
        from hubconsole.checks import deployment  # noqa: F401 - registers itself; there are settings now
