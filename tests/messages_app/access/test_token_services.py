import re
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection

from messages_app.access.models import ApiToken
from messages_app.access.token_services import (
    KEY_PREFIX,
    MAX_PER_MINUTE,
    NameTaken,
    TokenNotFound,
    create_token,
    digest_key,
    revoke_token,
)
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.factories import make_user
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db


class TestCreateToken:
    def test_returns_a_key_of_256_random_bits_and_stores_its_digest(self):
        token, key = create_token(user=make_user("support"), name="ci", actor=SYSTEM)
        assert re.fullmatch(rf"{KEY_PREFIX}[A-Za-z0-9_-]{{43}}", key)
        assert token.key_sha256 == digest_key(key)

    def test_stores_the_key_nowhere(self):
        _, key = create_token(user=make_user("support"), name="ci", actor=SYSTEM)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT api_token::text FROM api_token UNION ALL SELECT audit_entry::text FROM audit_entry"
            )
            assert not any(key in row or key.removeprefix(KEY_PREFIX) in row for (row,) in cursor)

    def test_never_returns_the_same_key_twice(self):
        user = make_user("support")
        assert len({create_token(user=user, name="ci", actor=SYSTEM)[1] for _ in range(5)}) == 5

    @pytest.mark.parametrize(("days", "lasts"), [(None, 90), (1, 1), (365, 365)])
    def test_lets_it_expire_by_the_clock_of_the_database(self, days, lasts):
        kwargs = {"days": days} if days else {}
        token, _ = create_token(user=make_user("support"), name="ci", actor=SYSTEM, **kwargs)
        token.refresh_from_db()
        assert token.expires_at - token.created_at == timedelta(days=lasts)

    @pytest.mark.parametrize("days", [0, -1, 366, 10**9])
    def test_refuses_a_life_beyond_a_year(self, days):
        with pytest.raises(ValueError, match="days must be from 1 to 365"):
            create_token(user=make_user("support"), name="ci", actor=SYSTEM, days=days)

    @pytest.mark.parametrize("name", ["", "a" * 61, "a\0b"])
    def test_refuses_a_name_that_is_too_long(self, name):
        with pytest.raises(ValueError, match="name must have 1 to 60"):
            create_token(user=make_user("support"), name=name, actor=SYSTEM)

    def test_is_audited(self):
        user = make_user("support")
        create_token(user=user, name="ci", actor=GRACE)
        create_token(
            user=user, name="nightly", actor=GRACE, days=7, scopes=["jobs:run"], reason="for the new system"
        )
        one = {"token": "ci", "user": "ada", "days": 90, "scopes": None}
        other = {"token": "nightly", "user": "ada", "days": 7, "scopes": ["jobs:run"]}
        assert audit_rows() == [
            by_grace("create_token", details=one),
            by_grace("create_token", reason="for the new system", details=other),
        ]

    def test_stores_each_value_in_its_column(self):
        user = make_user("support")
        token, key = create_token(
            user=user, name="ci", actor=SYSTEM, days=7, requests_per_minute=33, scopes=["jobs:run"]
        )
        stored = ApiToken.objects.get()
        assert stored.created_at == token.created_at
        assert stored.expires_at == token.expires_at == token.created_at + timedelta(days=7)
        assert {
            "user": stored.user,
            "name": stored.name,
            "key_sha256": stored.key_sha256,
            "requests_per_minute": stored.requests_per_minute,
            "scopes": stored.scopes,
            "last_used_at": stored.last_used_at,
            "revoked_at": stored.revoked_at,
        } == {
            "user": user,
            "name": "ci",
            "key_sha256": digest_key(key),
            "requests_per_minute": 33,
            "scopes": ["jobs:run"],
            "last_used_at": None,
            "revoked_at": None,
        }

    def test_refuses_the_name_of_another_valid_token_of_the_user(self):
        ada, bob = make_user("support", username="ada"), make_user("support", username="bob")
        make = partial(create_token, name="ci", actor=SYSTEM, needs_new_name=True)
        token, _ = make(user=ada)
        with pytest.raises(NameTaken, match="This user already has a valid token with this name"):
            make(user=ada)
        make(user=bob)
        revoke_token(token_id=token.pk, actor=SYSTEM)
        make(user=ada)
        assert ApiToken.objects.filter(revoked_at=None).count() == 2

    @pytest.mark.django_db(transaction=True)
    def test_creates_one_of_several_with_a_new_name_that_are_asked_for_at_the_same_time(self):
        ada = make_user("support", username="ada")
        for number in range(5):
            make = partial(create_token, user=ada, name=f"ci{number}", actor=SYSTEM, needs_new_name=True)
            outcomes = in_threads(*[make] * 4)
            assert sorted(type(outcome).__name__ for outcome in outcomes) == ["NameTaken"] * 3 + ["tuple"]
            assert ApiToken.objects.filter(name=f"ci{number}").count() == 1
        assert AuditEntry.objects.filter(action="create_token").count() == 5

    @pytest.mark.parametrize("number", [0, MAX_PER_MINUTE + 1])
    def test_refuses_a_number_of_requests_out_of_range(self, number):
        with pytest.raises(ValueError, match="requests_per_minute must be from 1 to"):
            create_token(user=make_user("support"), name="ci", actor=SYSTEM, requests_per_minute=number)
        assert not ApiToken.objects.exists()

    @pytest.mark.parametrize("number", [1, MAX_PER_MINUTE])
    def test_accepts_the_ends_of_that_range_and_the_longest_name(self, number):
        token, _ = create_token(
            user=make_user("support"), name="n" * 60, actor=SYSTEM, requests_per_minute=number
        )
        assert (token.requests_per_minute, token.name) == (number, "n" * 60)

    def test_stores_its_scopes_once_each_in_the_order_of_their_table(self):
        scopes = ["jobs:run", "messages:read", "jobs:run"]
        token, _ = create_token(user=make_user("support"), name="ci", actor=SYSTEM, scopes=scopes)
        assert token.scopes == ["messages:read", "jobs:run"]
        assert AuditEntry.objects.get(action="create_token").details["scopes"] == token.scopes

    def test_stores_scopes_with_names_unchanged_and_in_that_order(self):
        scopes = ["queue:consume:B", "history:use:" + "x" * 100, "queue:consume:A", "queue:consume:B"]
        token, _ = create_token(user=make_user("support"), name="ci", actor=SYSTEM, scopes=scopes)
        assert token.scopes == [scopes[1], "queue:consume:A", "queue:consume:B"]
        assert AuditEntry.objects.get(action="create_token").details["scopes"] == token.scopes

    @pytest.mark.parametrize("scope", ["messages:read:x", "queue:consume:", "history:use:a\0b"])
    def test_refuses_a_name_that_a_scope_cannot_have(self, scope):
        with pytest.raises(ValueError, match="Unknown scope "):
            create_token(user=make_user("support"), name="ci", actor=SYSTEM, scopes=[scope])
        assert not ApiToken.objects.exists()

    @pytest.mark.parametrize("scopes", [[], ["messages:erase"], ["messages:read", ""], "messages:read"])
    def test_refuses_invalid_scopes(self, scopes):
        with pytest.raises(ValueError, match="Scopes must be some of messages:read, payload:read"):
            create_token(user=make_user("support"), name="ci", actor=SYSTEM, scopes=scopes)
        assert not ApiToken.objects.exists()


class TestRevokeToken:
    def test_ends_it_immediately_and_only_once(self):
        token, _ = create_token(user=make_user("support"), name="ci", actor=SYSTEM)
        other, _ = create_token(user=token.user, name="nightly", actor=SYSTEM)
        revoke_token(token_id=token.pk, actor=GRACE, reason="it leaked")
        ended = ApiToken.objects.get(pk=token.pk).revoked_at
        assert ended is not None
        ApiToken.objects.filter(pk=token.pk).update(revoked_at=ended - timedelta(hours=1))
        revoke_token(token_id=token.pk, actor=GRACE, reason="again")
        assert ApiToken.objects.get(pk=token.pk).revoked_at == ended - timedelta(hours=1)
        assert ApiToken.objects.get(pk=other.pk).revoked_at is None
        assert audit_rows("revoke_token") == [
            by_grace("revoke_token", reason="it leaked", details={"token": "ci"})
        ]

    def test_raises_for_an_unknown_token(self):
        with pytest.raises(TokenNotFound):
            revoke_token(token_id=777, actor=SYSTEM)
