"""Read static files once a run: each test client would otherwise read all of them again."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    from whitenoise.middleware import WhiteNoiseMiddleware  # not before Django has its settings

    read = WhiteNoiseMiddleware.add_files_from_finders
    by_max_age: dict[object, dict] = {}

    def read_once(middleware: WhiteNoiseMiddleware) -> None:
        # The one setting of a test that the answers with a file depend on.
        key = middleware.max_age
        if key not in by_max_age:
            read(middleware)
            by_max_age[key] = middleware.files
        middleware.files = by_max_age[key]

    WhiteNoiseMiddleware.add_files_from_finders = read_once
