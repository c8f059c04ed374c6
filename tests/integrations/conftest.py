import os
from collections.abc import Iterator

import pytest

from tests.integrations.object_store import KEY, REGION, SECRET, ObjectStore
from tests.pages.conftest import chromium  # noqa: F401  # a fixture

# Set before Spark starts, because executors take the credentials from their environment.
os.environ |= {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION}
os.environ.pop("AWS_SESSION_TOKEN", None)


@pytest.fixture
def store(tmp_path) -> Iterator[ObjectStore]:
    """Give a running store without buckets."""
    store = ObjectStore(tmp_path)
    store.start()
    yield store
    store.kill()
