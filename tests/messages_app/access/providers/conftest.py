from collections.abc import Iterator

import pytest

from tests.messages_app.access.providers.lying_provider import LyingProvider, run_provider


@pytest.fixture
def provider(settings) -> Iterator[LyingProvider]:
    """Give a provider that the console declares as its only one."""
    with run_provider() as running:
        settings.OIDC_PROVIDERS = {"oidc": running.declared()}
        yield running
