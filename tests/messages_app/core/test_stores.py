import json
import re
from copy import deepcopy
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.urls.resolvers import RegexPattern, URLResolver
from django.utils import timezone

from hubconsole.celery import packages_of_tasks
from hubconsole.celery_beat import make_schedule
from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_gaps, doctor_parts, parts_of_service
from hubconsole.checks.servers import queues_served
from hubconsole.devserver.programs import worker_programs
from hubconsole.drf import describe_api
from messages_app.access.navigation import menu_entries
from messages_app.access.roles import roles_of
from messages_app.access.scopes import SCOPES, scopes_of
from messages_app.audit.digests import subject_digest
from messages_app.audit.models import AuditEntry
from messages_app.audit.privileges import Part, Privileges, privileges_of
from messages_app.audit.services import Actor
from messages_app.audit.subjects import subjects_of
from messages_app.core.markup import state_icon
from messages_app.core.stores import installed_stores
from messages_app.core.trigger_gaps import TriggerGap
from messages_app.dashboard.tiles import read_tiles
from messages_app.erasure.keys import Key
from messages_app.erasure.replay import keys_again
from messages_app.erasure.services import would_erase
from messages_app.management.commands.rebuild_counts import close_gaps
from messages_app.urls import api_routes, page_routes
from tests.invented_store.registration import CAN_ACT, STORE
from tests.support.factories import make_user
from tests.support.page_client import client_of

ROOT = Path(__file__).parents[3]
# Code that all stores share. Jobs, the demo and some commands are about certain stores.
SHARED = (
    *(ROOT / "hubconsole").glob("*.py"),
    *(ROOT / "hubconsole/checks").glob("*.py"),
    *(ROOT / "hubconsole/settings").glob("*.py"),
    *(
        path
        for package in ("access", "audit", "core", "dashboard", "payloads", "templatetags")
        for path in (ROOT / "messages_app" / package).rglob("*.py")
    ),
    *(ROOT / "messages_app").glob("*.py"),
    *(ROOT / "messages_app/erasure" / name for name in ("services.py", "replay.py", "rows.py", "run.py")),
    *(ROOT / "messages_app/management/commands" / name for name in ("rebuild_counts.py", "create_token.py")),
)
# The settings list the stores, and programs of the demo are named after its own store.
NAMING = {ROOT / "hubconsole/settings/stores.py", ROOT / "hubconsole/devserver/programs.py"}


@pytest.fixture(autouse=True)
def invented(settings):
    """Register an invented store only by its package."""
    settings.STORES = [*settings.STORES, "tests.invented_store"]
    templates = deepcopy(settings.TEMPLATES)
    templates[0]["DIRS"].append(ROOT / "tests/invented_store/templates")
    settings.TEMPLATES = templates
    cache.clear()


class TestStores:
    def test_are_those_of_the_packages_that_the_settings_name(self):
        assert [store.address for store in installed_stores()] == [
            "",
            "document-history/",
            "message-store/",
            "cp-queue/",
            "",
            "invented/",
        ]

    def test_have_no_import_of_their_code_in_a_shared_module(self):
        named = re.compile(r"messages_app\.(document_history|message_store|cp_queue)\b")
        found = {path.name for path in SHARED if path not in NAMING and named.search(path.read_text("utf-8"))}
        assert found == set()


@pytest.mark.django_db
class TestAnInventedStore:
    def test_has_its_entry_in_the_menu_of_permitted_users(self):
        titles = [entry.title for entry in menu_entries(make_user("support"))]
        assert titles[titles.index("CP queue") + 1 :][:2] == ["Invented", "Map"]
        assert list(menu_entries(AnonymousUser())) == []
        assert 'href="/invented/"' in client_of("support", username="eve").get("/messages/").content.decode()

    def test_has_its_pages_and_calls_at_its_address(self):
        pages = URLResolver(RegexPattern("^/"), page_routes())
        calls = URLResolver(RegexPattern("^/api/v1/"), api_routes())
        assert pages.resolve("/invented/").url_name == "invented"
        assert calls.resolve("/api/v1/invented/").func.view_class.__name__ == "CallView"
        assert "invented/" in calls.resolve("/api/v1/").func.view_initkwargs["addresses"]

    def test_has_its_tasks_and_their_times(self):
        assert "tests.invented_store" in packages_of_tasks()
        assert make_schedule(installed_stores(), {"INVENTED_INTERVAL": 7.0, "MESSAGE_STORE_INTERVAL": 60.0})[
            "sweep-invented"
        ] == {"task": "tests.invented_store.tasks.sweep", "schedule": 7.0, "options": {"expires": 7.0}}

    def test_has_the_worker_of_its_queue(self, settings):
        settings.INVENTED_LEAST, settings.INVENTED_MOST = 2, 5
        worker = next(each for each in worker_programs() if each.name == "invented-worker")
        options = " ".join(worker.command)
        assert "--queues invented --autoscale 5,2" in options
        assert queues_served() == ["short", "spark", "store", "invented"]
        assert parts_of_service("invented-worker") == (Part.WORKER,)

    def test_has_its_tile_in_the_right_order(self):
        names = [tile.name for tile in read_tiles()]
        assert names[names.index("invented") + 1] == "cp_queue"
        shown = client_of("support", username="eve").get("/").content.decode()
        assert "Invented things waiting: 4711" in shown

    def test_adds_its_permissions_to_roles_and_scopes(self):
        roles = roles_of(installed_stores())
        having = {role for role, rights in roles.items() if CAN_ACT in rights}
        assert having == {"operator", "admin", "invented_service"}
        assert scopes_of(installed_stores())["invented:act"].confined_to == "thing"

    def test_grants_each_part_its_privileges(self):
        row = privileges_of(installed_stores())["invented"]
        assert row[Part.WORKER] == Privileges(("SELECT",), ("state",))
        assert row[Part.SPARK] == Privileges(())

    def test_is_asked_what_to_erase_and_what_a_backup_brought_back(self, tmp_path, settings):
        settings.ERASED_LIST = tmp_path / "erased.jsonl"
        done = would_erase(key=Key("subject 5"), actor=Actor(username="ada"))
        assert ("invented", "thing", "it is only invented") in done.left
        line = {
            "at": "2026-01-31T08:00:00Z",
            "subject": subject_digest("subject 5"),
            "rows": {"invented": [5]},
        }
        settings.ERASED_LIST.write_text(json.dumps(line) + "\n")
        assert keys_again(settings.ERASED_LIST) == [Key("subject 5")]

    def test_is_asked_for_a_pasted_id(self):
        found = client_of("support", username="eve").get("/messages/find/part/?id=invented-1")
        assert "Invented id" in found.content.decode()

    def test_names_what_an_audit_entry_is_about(self):
        (subject,) = subjects_of(AuditEntry(subject_kind="invented", subject="12"))
        assert subject.name == "Invented 12"

    def test_checks_the_name_that_confines_one_of_its_scopes(self, monkeypatch):
        monkeypatch.setitem(SCOPES, "invented:act", scopes_of(installed_stores())["invented:act"])
        make_user("operator", username="ada")
        token = StringIO()
        call_command("create_token", "ada", "--scope", "invented:act:thing-1", "--json", stdout=token)
        assert "invented:act:thing-1" in token.getvalue()
        with pytest.raises(CommandError, match="'thing-2' cannot be the name of a thing"):
            call_command("create_token", "ada", "--scope", "invented:act:thing-2")

    def test_has_its_states_drawn_with_their_symbols(self):
        assert "#state-INVENTED" in state_icon("INVENTED")

    def test_is_asked_by_doctor(self):
        with pytest.raises(Unhealthy) as refused:
            doctor_parts()["invented"]()
        assert (refused.value.why, refused.value.do) == (
            "the invented thing is broken",
            "Invent another one.",
        )

    def test_reports_what_its_triggers_did_not_record(self):
        at = timezone.now()
        TriggerGap.objects.create(
            area="invented", sqlstate="23514", reason="never", first_at=at, last_at=at, statements=3
        )
        assert "UTC are missing from the invented things" in check_gaps()

    def test_is_rebuilt_with_the_counts(self):
        assert close_gaps(None, {"invented"}) == " Gap closed: 12 invented things were missing."

    def test_names_its_values_in_the_description_of_the_api(self):
        assert (
            describe_api(installed_stores())["ENUM_NAME_OVERRIDES"]["InventedEnum"]
            == STORE.enums["InventedEnum"]
        )
