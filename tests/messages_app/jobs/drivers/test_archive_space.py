"""The space that an archive job frees, also of a hub's tables behind views."""

import pytest

from messages_app.jobs.drivers.archive import would_free
from tests.support.factories import make_messages
from tests.support.views import put_behind_views

pytestmark = pytest.mark.django_db


def test_counts_the_tables_behind_views():
    make_messages(2_000)
    found = would_free({"message": 1_000})["message"]
    put_behind_views("message")
    assert found > 10_000
    assert would_free({"message": 1_000})["message"] == pytest.approx(found, rel=0.2)
