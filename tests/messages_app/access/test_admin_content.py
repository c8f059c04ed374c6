"""Every column of error codes in the admin, with a value of its own in each."""

import pytest
from django.test import Client

from messages_app.messages.failures.models import ErrorCode
from tests.support.staff import HUB, lines_of_list, listed_keys, staff_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def superuser() -> Client:
    return staff_client(is_superuser=True, username="root")


def test_error_codes_have_each_value_in_its_column(superuser):
    ErrorCode.objects.all().delete()
    ErrorCode.objects.create(code="E900", description="a description", action="an action", is_own=True)
    ErrorCode.objects.create(code="E901", description="another description", action="another", is_own=False)
    assert lines_of_list(superuser, f"{HUB}errorcode/") == [
        {
            "Code": f"[E900]({HUB}errorcode/E900/change/)",
            "Description": "a description",
            "Recommended action": "an action",
            "The hub's own": "True",
        },
        {
            "Code": f"[E901]({HUB}errorcode/E901/change/)",
            "Description": "another description",
            "Recommended action": "another",
            "The hub's own": "False",
        },
    ]
    for text, keys in (("E900", ["E900"]), ("another", ["E901"]), ("description", ["E901", "E900"])):
        assert sorted(listed_keys(superuser, f"{HUB}errorcode/?q={text}")) == sorted(keys), text
