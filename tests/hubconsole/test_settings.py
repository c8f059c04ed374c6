"""The settings as a deployment has them: in a process of its own, for this one has the tests'."""

import json
import os
import subprocess
import sys

import pytest

from tests.support.workers import database_of_tests

KEY = "of-the-tests-0123456789-abcdefghijklmnopqrstuvwxyz-by-no-chance"
PROVIDER = {
    "HUBCONSOLE_OIDC_ISSUER": "https://id.example.org",
    "HUBCONSOLE_OIDC_CLIENT_ID": "hub",
    "HUBCONSOLE_OIDC_CLIENT_SECRET": "s",
}
# The answers and settings of a deployed web process, as JSON.
TELL = """
import json, django
django.setup()
from django.conf import settings
from django.contrib.auth.hashers import get_hasher
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from messages_app.access.throttling import remember_device

def ask(**how):
    answer = Client().get("/login/", headers={"host": "hub.example.org"}, **how)
    cookies = {name: morsel.OutputString() for name, morsel in answer.cookies.items()}
    return answer.status_code, dict(answer.headers), cookies

def known_device():
    request, answer = RequestFactory().get("/"), HttpResponse()
    request.user = AnonymousUser()
    remember_device(request, answer)
    return {name: morsel.OutputString() for name, morsel in answer.cookies.items()}

def show(name):
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        return cursor.fetchone()[0]

timeouts = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
print(json.dumps({
    "secure": ask(secure=True),
    "plain": ask(),
    "device": known_device(),
    "messages": settings.MESSAGE_STORAGE,
    "timeouts": [show(name) for name in timeouts],
    "hasher": [get_hasher().algorithm, get_hasher().iterations],
    "debug": settings.DEBUG,
    "tasks": settings.CELERY_ACCEPT_CONTENT,
    "cookie": settings.SESSION_COOKIE_NAME,
    "session": [settings.SESSION_COOKIE_SECURE, settings.SESSION_COOKIE_HTTPONLY],
    "samesite": settings.SESSION_COOKIE_SAMESITE,
    "protection": [
        settings.SECOND_FACTOR, settings.BULK_GUARD, settings.DATABASE_ROLES, settings.WITHOUT_TLS
    ],
}))
"""


SHOWN = """
import django
django.setup()
from django.db import connection
with connection.cursor() as cursor:
    for name in ("jit", "work_mem", "lock_timeout"):
        cursor.execute(f"SHOW {name}")
        print(cursor.fetchone()[0])
"""


def start(code: str, **environment: str) -> subprocess.CompletedProcess:
    """Run code in a process whose settings come from these variables."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


class TestDeployed:
    @pytest.mark.django_db
    def test_is_closed_as_production_must_be(self):
        deployed = {
            "DJANGO_SETTINGS_MODULE": "hubconsole.settings",
            "DJANGO_SECRET_KEY": KEY,
            "DJANGO_ALLOWED_HOSTS": "hub.example.org",
            "HUBCONSOLE_PROCESS": "web",
        }
        ended = start(TELL, **database_of_tests() | deployed)
        assert ended.returncode == 0, ended.stderr
        told = json.loads(ended.stdout.splitlines()[-1])

        status, headers, cookies = told["secure"]
        assert status == 200
        rules = headers["Strict-Transport-Security"].split("; ")
        assert int(rules[0].removeprefix("max-age=")) >= 365 * 24 * 3600
        assert "includeSubDomains" in rules
        assert (list(cookies), list(told["device"])) == (["__Host-csrftoken"], ["__Host-hubconsole_device"])
        for cookie in (cookies | told["device"]).values():
            for rule in ("HttpOnly", "Secure", "SameSite=Lax", "Path=/"):
                assert rule in cookie.split("; ")
            assert "Domain" not in cookie
            assert len(cookie) < 4096
        assert told["messages"].endswith("session.SessionStorage")  # else one more cookie
        assert (told["cookie"], told["session"], told["samesite"]) == (
            "__Host-sessionid",
            [True, True],
            "Lax",
        )
        assert told["plain"][0] == 301
        assert told["plain"][1]["Location"] == "https://hub.example.org/login/"
        assert told["timeouts"] == ["5s", "2s", "15s"]
        algorithm, rounds = told["hasher"]
        assert algorithm == "pbkdf2_sha256"
        assert rounds >= 1_000_000
        assert (told["debug"], told["tasks"]) == (False, ["json"])
        assert told["protection"] == ["required", "password", "separate", []]

    @pytest.mark.parametrize(
        ("environment", "said"),
        [
            ({"DJANGO_SECRET_KEY": "x" * 49}, "DJANGO_SECRET_KEY has 49 characters"),
            ({"DATABASE_URL": "postgresql://a:hidden@h/x"}, "DJANGO_SECRET_KEY is required"),
            (
                {"DATABASE_URL": "a:hidden@h", "DJANGO_SECRET_KEY": KEY},
                "DATABASE_URL is not a database address",
            ),
            pytest.param(
                {"HUBCONSOLE_SPARK_DATABASE_URL": "a:hidden@h"},
                "HUBCONSOLE_SPARK_DATABASE_URL is not a database address",
                marks=pytest.mark.slow,
            ),
            pytest.param(
                {"HUBCONSOLE_SPARK_DATABASE_URL": "mysql://a:hidden@h/x"},
                "HUBCONSOLE_SPARK_DATABASE_URL must name a PostgreSQL database",
                marks=pytest.mark.slow,
            ),
            pytest.param(
                {"HUBCONSOLE_SPARK_DATABASE_URL": "postgresql://a:hidden@h/elsewhere"},
                "HUBCONSOLE_SPARK_DATABASE_URL must name the same database as DATABASE_URL",
                marks=pytest.mark.slow,
            ),
            pytest.param(
                {"HUBCONSOLE_OWNER_DATABASE_URL": "postgresql://a:hidden@h/elsewhere"},
                "HUBCONSOLE_OWNER_DATABASE_URL must name the same database as DATABASE_URL",
                marks=pytest.mark.slow,
            ),
        ],
    )
    def test_stops_the_start_without_what_it_needs(self, environment, said):
        ended = start("import hubconsole.settings", **environment)
        assert ended.returncode == 1
        assert ended.stderr.startswith(f"hubconsole: {said}")
        assert len(ended.stderr.splitlines()) == 1
        assert "hidden" not in ended.stderr

    @pytest.mark.parametrize(
        ("environment", "protection"),
        [
            ({}, "offered none"),
            ({"DJANGO_ALLOWED_HOSTS": "hub.example.org"}, "required password"),
            ({"DJANGO_ALLOWED_HOSTS": "hub.example.org", **PROVIDER}, "required second_person"),
            (
                {
                    "DJANGO_ALLOWED_HOSTS": "hub.example.org",
                    "HUBCONSOLE_SECOND_FACTOR": "offered",
                    "HUBCONSOLE_BULK_GUARD": "none",
                },
                "offered none",
            ),
        ],
    )
    def test_protects_a_console_that_others_reach_unless_a_setting_says_otherwise(
        self, environment, protection
    ):
        code = "import hubconsole.settings as s; print(s.SECOND_FACTOR, s.BULK_GUARD)"
        assert start(code, DJANGO_SECRET_KEY=KEY, **environment).stdout.strip() == protection

    @pytest.mark.django_db
    @pytest.mark.parametrize(("process", "lock_timeout"), [("web", "2s"), ("worker", "0")])
    def test_compiles_no_plans_and_keeps_the_options_of_the_address(self, process, lock_timeout):
        database = database_of_tests()
        database["DATABASE_URL"] += "?options=-c%20work_mem%3D7MB"
        known = {"DJANGO_SETTINGS_MODULE": "hubconsole.settings", "DJANGO_SECRET_KEY": KEY}
        ended = start(SHOWN, **database | known | {"HUBCONSOLE_PROCESS": process})
        assert ended.stdout.split() == ["off", "7MB", lock_timeout], ended.stderr

    def test_accepts_a_key_of_50_characters(self):
        assert start("import hubconsole.settings", DJANGO_SECRET_KEY="x" * 50).returncode == 0
