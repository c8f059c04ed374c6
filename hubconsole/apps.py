"""Replaces Django's admin site with the console's."""

from django.contrib.admin.apps import AdminConfig

from hubconsole import loading


class HubConsoleAdminConfig(AdminConfig):
    """Replace `django.contrib.admin` in INSTALLED_APPS, so that every app registers on the console's site."""

    default_site = "hubconsole.site.HubConsoleSite"

    def ready(self) -> None:
        super().ready()
        from hubconsole.checks import deployment  # noqa: F401 - registers itself; there are settings now

        loading.end_loading()  # This app is the first, so the models are loaded.
