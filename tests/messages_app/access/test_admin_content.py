"""Every column of users and tokens in the admin, with a value of its own in each."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from messages_app.access.models import ApiToken
from messages_app.audit.models import AuditEntry
from messages_app.messages.failures.models import ErrorCode
from tests.support.factories import make_user
from tests.support.page_client import confirm_password
from tests.support.staff import HUB, lines_of_list, lines_of_page, listed_keys, staff_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def superuser() -> Client:
    client = staff_client(is_superuser=True, username="root")
    confirm_password(client)
    return client


def at(hour: int) -> datetime:
    return datetime(2026, 11, 1, hour, tzinfo=UTC)


def test_tokens_have_each_value_in_its_column(superuser):
    grace = make_user("support", username="grace")
    token = ApiToken.objects.create(
        user=grace,
        name="nightly",
        key_sha256="a" * 64,
        scopes=["messages:read", "jobs:run"],
        created_at=at(1),
        expires_at=at(2),
        last_used_at=at(3),
        revoked_at=at(4),
        requests_per_minute=70,
    )
    whole = ApiToken.objects.create(
        user=User.objects.get(username="root"), name="whole", key_sha256="b" * 64, expires_at=at(5)
    )
    page = f"{HUB}apitoken/{token.pk}/change/"
    listed = {
        "User": "grace",
        "Scopes": "messages:read, jobs:run",
        "Created at": "2026-11-01 01:00:00 UTC",
        "Expires at": "2026-11-01 02:00:00 UTC",
        "Last used at": "2026-11-01 03:00:00 UTC",
        "Revoked at": "2026-11-01 04:00:00 UTC",
        "Requests per minute": "70",
    }
    lines = {line["User"]: line for line in lines_of_list(superuser, f"{HUB}apitoken/")}
    assert lines["grace"] == listed | {"Name": f"[nightly]({page})"}
    assert lines["root"] | {"Created at": ""} == {
        "Name": f"[whole]({HUB}apitoken/{whole.pk}/change/)",
        "User": "root",
        "Scopes": "all permissions of the user",
        "Created at": "",
        "Expires at": "2026-11-01 05:00:00 UTC",
        "Last used at": "-",
        "Revoked at": "-",
        "Requests per minute": "-",
    }
    assert lines_of_page(superuser, page) | {"User": "grace"} == listed | {"Name": "nightly"}


def test_users_have_each_value_in_its_column(superuser):
    make_user(
        "support",
        username="grace",
        first_name="Grace",
        last_name="Hopper",
        email="g@hub.example",
        is_staff=True,
    )
    make_user(username="linus", is_active=False)
    lines = {
        line["Username"].partition("]")[0]: line for line in lines_of_list(superuser, "/admin/auth/user/")
    }
    shown = {name: list(line.values())[1:] for name, line in lines.items()}
    assert list(lines["[grace"])[1:] == ["Email address", "First name", "Last name", "Staff status"]
    assert shown == {
        "[grace": ["g@hub.example", "Grace", "Hopper", "True"],
        "[linus": ["-", "-", "-", "False"],
        "[root": ["-", "-", "-", "True"],
    }


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


@pytest.mark.parametrize(
    ("powers", "told"),
    [
        ([], {"is_active": False, "is_staff": False, "is_superuser": False}),
        (["is_active"], {"is_active": True, "is_staff": False, "is_superuser": False}),
        (["is_staff"], {"is_active": False, "is_staff": True, "is_superuser": False}),
        (["is_superuser"], {"is_active": False, "is_staff": False, "is_superuser": True}),
    ],
)
def test_the_entry_of_a_changed_user_has_each_of_their_powers(superuser, powers, told):
    grace = make_user("support", username="grace")
    support = Group.objects.get(name="support")
    right = Permission.objects.get(codename="view_payload")
    form = {"username": "grace", "groups": [support.pk], "user_permissions": [right.pk]}
    joined = {"date_joined_0": "2026-11-01", "date_joined_1": "12:00:00"}
    answer = superuser.post(
        f"/admin/auth/user/{grace.pk}/change/", form | joined | dict.fromkeys(powers, "on")
    )
    assert answer.status_code == 302, answer.content
    details = AuditEntry.objects.get(action="admin_change").details
    assert {name: details[name] for name in (*told, "groups", "rights")} == told | {
        "groups": ["support"],
        "rights": ["view_payload"],
    }
