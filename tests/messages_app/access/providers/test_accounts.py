"""Two first log-ins of one person at the same moment, and of two who have one name."""

import pytest
from django.contrib.auth.models import User
from django.test import RequestFactory

from messages_app.access.provider_settings import Provider
from messages_app.access.providers.accounts import admit_identity
from messages_app.access.providers.identities import Identity
from messages_app.access.providers.models import ProviderAccount
from messages_app.audit.models import AuditEntry
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)

BANK = Provider(
    key="oidc", name="Bank ID", issuer="https://id.bank.example", client_id="hub", client_secret="s3cret"
)


def admit(subject: str) -> User:
    identity = Identity(
        issuer=BANK.issuer,
        subject=subject,
        session_id="",
        wanted_name="ada",
        first_name="",
        last_name="",
        email="",
        groups=(),
        has_second_factor=False,
        authenticated_at=0,
    )
    return admit_identity(RequestFactory().get("/"), provider=BANK, identity=identity)


def test_first_log_ins_in_two_browsers_create_one_user():
    users = in_threads(lambda: admit("s-1"), lambda: admit("s-1"))
    assert users == [User.objects.get()] * 2
    assert ProviderAccount.objects.count() == AuditEntry.objects.filter(action="create_user").count() == 1


def test_first_log_ins_of_two_with_one_name_create_two():
    in_threads(lambda: admit("s-1"), lambda: admit("s-2"))
    assert set(User.objects.values_list("username", flat=True)) == {"ada", "ada-oidc"}
