import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command, execute_from_command_line

from messages_app.access.models import ApiToken
from messages_app.access.scopes import SCOPES
from messages_app.access.token_services import digest_key
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("create_token", *arguments, stdout=out)
    return out.getvalue()


class TestCreateToken:
    def test_prints_only_the_key(self):
        make_user("support")
        key = printed("ada").removesuffix("\n")
        assert ApiToken.objects.get().key_sha256 == digest_key(key)

    def test_returns_all_values_to_a_program(self):
        make_user("support")
        told = json.loads(
            printed(
                "ada",
                "--days",
                "7",
                "--name",
                "ci",
                "--per-minute",
                "60",
                "--scope",
                "messages:read",
                "--json",
            )
        )
        token = ApiToken.objects.get()
        assert digest_key(told.pop("key")) == token.key_sha256
        assert told.pop("expires_at")[:19] == token.expires_at.isoformat()[:19]
        assert told == {"token_id": token.pk, "user": "ada", "name": "ci", "scopes": ["messages:read"]}
        assert (token.user.username, token.requests_per_minute) == ("ada", 60)

    def test_accepts_days_and_a_name(self):
        make_user("support")
        printed("ada", "--days", "7", "--name", "ci")
        token = ApiToken.objects.get()
        assert (token.name, token.expires_at - token.created_at) == ("ci", timedelta(days=7))

    def test_accepts_scopes(self):
        make_user("support")
        printed("ada", "--scope", "payload:read", "--scope", "messages:read")
        assert ApiToken.objects.get().scopes == ["messages:read", "payload:read"]

    def test_accepts_scopes_for_some_names(self):
        make_user("support")
        scopes = ["history:use:3f0c-1", "queue:consume:RENDITION", "queue:consume:a:b c"]
        told = printed("ada", "--json", *(word for scope in scopes for word in ("--scope", scope)))
        assert json.loads(told)["scopes"] == scopes
        assert ApiToken.objects.get().scopes == scopes

    @pytest.mark.parametrize(
        ("scope", "why"),
        [
            ("messages:read:orders", "messages:read does not take a name"),
            ("queue:read:RENDITION", "queue:read does not take a name"),
            ("messages:read:", "messages:read does not take a name"),
            ("queue:consume:", "the queue after the last colon is missing"),
            ("history:use:", "the trigger after the last colon is missing"),
            ("queue:eat:RENDITION", "Scopes must be some of messages:read"),
            ("queue:consume: ", "' ' cannot be the name of a queue"),
            ("queue:consume:A,B", "'A,B' cannot be the name of a queue"),
            ("queue:act: A", "' A' cannot be the name of a queue"),
            ("queue:consume:" + "x" * 129, "xxx' cannot be the name of a queue"),
            ("queue:consume:" + "x" * 300, "there is no such queue"),
            ("history:use:a b", "'a b' cannot be the name of a trigger"),
            ("history:use:../x", "'../x' cannot be the name of a trigger"),
        ],
        ids=lambda text: text[:40],
    )
    def test_refuses_a_scope_with_an_invalid_name(self, scope, why, capsys):
        make_user("support")
        with pytest.raises(SystemExit) as ended:
            execute_from_command_line(["manage.py", "create_token", "ada", "--scope", scope])
        assert ended.value.code == 2
        told = capsys.readouterr().err
        assert repr(scope) in told
        assert why in told
        assert not ApiToken.objects.exists()

    def test_returns_no_scopes_if_none_is_named(self):
        make_user("support")
        printed("ada")
        assert ApiToken.objects.get().scopes is None

    def test_returns_the_list_of_scopes_to_a_program(self):
        make_user("support")
        assert json.loads(printed("ada", "--scope", "jobs:run", "--json"))["scopes"] == ["jobs:run"]

    def test_names_the_known_scopes_for_one_that_is_not(self, capsys):
        make_user("support")
        with pytest.raises(SystemExit) as ended:
            execute_from_command_line(["manage.py", "create_token", "ada", "--scope", "messages:erase"])
        assert ended.value.code == 2
        told = capsys.readouterr().err
        assert "'messages:erase'" in told
        assert [name for name in SCOPES if name not in told] == []
        assert not ApiToken.objects.exists()

    def test_fails_for_an_unknown_user(self):
        with pytest.raises(CommandError, match="There is no active user 'ghost'") as failed:
            printed("ghost")
        assert failed.value.returncode == 1

    def test_fails_for_a_disabled_user(self):
        make_user(is_active=False)
        with pytest.raises(CommandError, match="no active user"):
            printed("ada")

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["a", "b"],
            ["a", "--days", "0"],
            ["a", "--days", "366"],
            ["a", "--days", "x"],
            ["a", "--name", ""],
            ["a", "--scope"],
            ["a", "--scope", ""],
        ],
        ids=" ".join,
    )
    def test_exits_with_2_for_bad_arguments(self, arguments, capsys):
        with pytest.raises(SystemExit) as ended:
            execute_from_command_line(["manage.py", "create_token", *arguments])
        assert ended.value.code == 2
        assert capsys.readouterr().out == ""
