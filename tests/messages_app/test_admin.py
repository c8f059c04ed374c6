"""The tables of all stores in the admin: who sees which, and that no one changes a row."""

import pytest
from django.apps import apps
from django.contrib import admin

from messages_app.core.table_admin.model_admin import TableAdmin, admin_of
from tests.support.factories import make_user
from tests.support.staff import HUB, rows_of_hub, staff_client

pytestmark = pytest.mark.django_db

OF_MESSAGES = [
    f"{archive}{table}"
    for archive in ("", "archive")
    for table in ("message", "externalcall", "request", "response", "funnel")
]
OTHERS = ["messagestore", "cpmessage", "historyline"]
TABLES = [*OF_MESSAGES, *OTHERS]


@pytest.fixture
def addresses() -> list[str]:
    """Store a row of each table, and return the addresses of these rows in the admin."""
    rows = [(admin_of(type(row)), row) for row in rows_of_hub()]
    return [page.url_of(row).removesuffix("change/") for page, row in rows]


def test_are_all_registered():
    tables = {
        model._meta.model_name for model, page in admin.site._registry.items() if isinstance(page, TableAdmin)
    }
    assert tables == set(TABLES)


@pytest.mark.parametrize("role", ["support", "operator", "admin"])
def test_are_shown_to_staff_with_a_role(role, addresses):
    client = staff_client(role)
    for address in [f"{HUB}{table}/" for table in TABLES] + [f"{address}change/" for address in addresses]:
        assert client.get(address).status_code == 200, address


@pytest.mark.parametrize("role", [None, "view_payload", "cp_service", "history_service"])
def test_are_not_shown_to_staff_without_a_reading_role(role, addresses):
    client = staff_client(*filter(None, [role]))
    for address in [f"{HUB}{table}/" for table in TABLES] + [f"{address}change/" for address in addresses]:
        assert client.get(address).status_code == 403, address
    page = client.get("/admin/").content.decode()
    assert not [table for table in TABLES if f'"{HUB}{table}/"' in page]


def test_are_not_shown_to_users_who_are_not_staff(client, addresses):
    client.force_login(make_user("admin"))
    assert client.get(f"{HUB}message/", follow=True).status_code == 403


def test_are_listed_on_the_first_page_of_the_admin():
    page = staff_client("support").get("/admin/").content.decode()
    assert [table for table in TABLES if f'"{HUB}{table}/"' in page] == TABLES


def test_have_no_forms_even_for_superusers(addresses):
    root = staff_client(is_superuser=True)
    for address in addresses:
        page = root.get(f"{address}change/").content.decode()
        assert 'type="submit"' not in page.split("<main", 1)[1], address
        assert root.get(f"{address}delete/").status_code == 403, address
        assert root.get(f"{address.rstrip('/').rpartition('/')[0]}/add/").status_code == 403, address


def rows_of_tables() -> list[list[tuple]]:
    """Return all rows of the tables."""
    return [list(apps.get_model("messages_app", name).objects.values_list()) for name in TABLES]


def test_refuse_forged_posts_and_write_nothing(addresses):
    root = staff_client(is_superuser=True)
    before = rows_of_tables()
    form = {"post": "yes", "state": "OK", "_save": "Save", "form-TOTAL_FORMS": "1"}
    for address in addresses:
        table = f"{address.rstrip('/').rpartition('/')[0]}/"
        for target in (f"{address}change/", f"{address}delete/", f"{table}add/", table):
            assert root.post(target, form).status_code == 403, target
    assert rows_of_tables() == before


def test_have_no_page_for_odd_keys(addresses):
    root = staff_client(is_superuser=True)
    for table in TABLES:
        for key in ("9" * 19, "9" * 40, "-1", "0", "1.5", "zzz", "a%00b", "t-1_2Fu-2", "_2F", "%F0%9F%98%80"):
            response = root.get(f"{HUB}{table}/{key}/change/")
            assert response.status_code in {302, 404}, (table, key)
