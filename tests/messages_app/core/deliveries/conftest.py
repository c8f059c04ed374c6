from collections.abc import Iterator
from ipaddress import ip_network

import pytest

from tests.messages_app.core.deliveries.products import PRODUCTS, Product, serving
from tests.messages_app.core.deliveries.receiver import SECRET, Receiver, receiving


@pytest.fixture
def may_call_this_machine(settings) -> None:
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.1")]


@pytest.fixture
def receiver(settings, may_call_this_machine: None) -> Iterator[Receiver]:
    settings.WEBHOOK_SECRETS = [SECRET]
    with receiving() as server:
        yield server


@pytest.fixture(params=PRODUCTS)
def name(request: pytest.FixtureRequest) -> str:
    """The name of each product, of which a test may choose some."""
    return request.param


@pytest.fixture
def product(name: str, may_call_this_machine: None) -> Iterator[Product]:
    with serving(name) as server:
        yield server
