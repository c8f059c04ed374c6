import runpy

import pytest

from hubconsole import urls
from tests.support.page_client import client_of


def make_routes() -> list[str]:
    """Return the routes of the project under the current settings."""
    return [str(entry.pattern) for entry in runpy.run_path(urls.__file__)["urlpatterns"]]


class TestStyleguide:
    @pytest.mark.django_db
    def test_is_not_found_in_production(self, settings):
        assert settings.DEBUG is False
        assert client_of("admin").get("/styleguide/").status_code == 404
        assert "styleguide/" not in make_routes()

    def test_is_routed_for_debugging(self, settings):
        settings.DEBUG = True
        assert "styleguide/" in make_routes()
