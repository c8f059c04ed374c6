import pytest

from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


class TestPage:
    def test_has_the_choices_if_there_are_messages(self):
        client = client_of("operator")
        assert "/jobs/new/" not in text_of(client.get("/messages/?state=FAILED"))
        make_message(state="FAILED")
        assert "/jobs/new/?kind=restart&amp;state=FAILED" in text_of(client.get("/messages/?state=FAILED"))
