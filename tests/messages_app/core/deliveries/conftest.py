from collections.abc import Iterator
from ipaddress import ip_network

import pytest

from tests.messages_app.core.deliveries.receiver import SECRET, Receiver, receiving


@pytest.fixture
def receiver(settings) -> Iterator[Receiver]:
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.1")]
    settings.WEBHOOK_SECRETS = [SECRET]
    with receiving() as server:
        yield server
