import pytest
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.utils import quote
from django.contrib.auth.models import User
from django.db.models import Model
from playwright.sync_api import expect

from messages_app.core.table_admin.model_admin import TableAdmin
from tests.pages.checks import WIDE, check_looks, looks_for_axe
from tests.pages.window import Window
from tests.support.eventually import eventually
from tests.support.staff import rows_of_hub

MESSAGES = "/admin/messages_app/message/"
# The browser reports most violations on its console, and the rest by an event.
TELL = """
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) => {
  refused.push(`${event.effectiveDirective} ${event.blockedURI}`);
  console.error(`violation: ${refused.at(-1)} ${event.sample}`);
});
"""


@pytest.fixture
def root(open_window) -> Window:
    """Return a window of an administrator, with a row of every kind."""
    window = open_window(viewport=WIDE)
    window.page.context.add_init_script(TELL)
    window.log_in(is_staff=True, is_superuser=True, username="root")
    return window


@pytest.fixture
def rows() -> list[Model]:
    """Store a row of each table of the admin, and return them."""
    return rows_of_hub()


def addresses(row: Model) -> list[str]:
    """Return the pages of one row: its table's list and form, and its own."""
    table = f"/admin/{row._meta.app_label}/{row._meta.model_name}/"
    its_admin = admin.site.get_model_admin(type(row))
    key = quote(its_admin.key_of(row)) if isinstance(its_admin, TableAdmin) else row.pk
    return [table, f"{table}add/", *(f"{table}{key}/{page}/" for page in ("change", "history", "delete"))]


def kind(path: str) -> str:
    """Return the common key of similar pages: forms differ, their histories do not."""
    page = path.split("/")[-2]
    return path if page == "change" else page


class TestAdminPages:
    @pytest.mark.slow
    def test_have_names_headings_and_space_and_follow_the_policy_of_all_pages(self, root, rows):
        assert {type(row) for row in rows} == set(admin.site._registry)
        LogEntry.objects.log_actions(User.objects.get(username="root").pk, rows, CHANGE)
        paths = ["/admin/", "/admin/messages_app/", f"{MESSAGES}?q=1"]
        paths += [path for row in rows for path in addresses(row)]
        opened, kinds = {}, set()
        for path in paths:
            answer = root.page.request.get(path)
            assert "unsafe" not in answer.headers["content-security-policy"], path
            opened[path] = answer.status
        for path in {kind(path): path for path in reversed(paths)}.values():
            root.page.goto(path)
            assert not root.page.locator("script:not([src]), style").count(), path
            check_looks(root.page, axe_in=looks_for_axe(kind(path), kinds), with_frame=not kinds)
            kinds.add(kind(path))
            assert not root.complaints, path
        # Tables of the hub are read-only.
        refused = [path.split("/")[3:] for path, status in opened.items() if status != 200]
        assert [(table, page[-2]) for table, *page in refused] == [
            (row._meta.model_name, page) for row in rows for page in ("add", "delete")
        ]

    def test_run_no_script_that_was_put_into_them(self, root):
        root.open(MESSAGES)
        root.page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.wasRun = true";
                document.body.append(script);
                const put = (text) => document.body.insertAdjacentHTML("beforeend", text);
                put("<img src=x: onerror='window.wasRun = true'>");
                put("<b x-data x-init='window.wasRun = true' style='color: red'>x</b>");
            }"""
        )
        inline = {f"{kind} inline" for kind in ("script-src-elem", "script-src-attr", "style-src-attr")}
        eventually(lambda: inline <= set(root.page.evaluate("window.refused")))
        assert root.page.evaluate("window.wasRun") is None
        root.complaints.clear()

    @pytest.mark.slow
    def test_follow_the_readers_choice_of_colours(self, root):
        root.page.emulate_media(color_scheme="light")
        root.open(MESSAGES)
        light = root.page.evaluate("getComputedStyle(document.body).backgroundColor")
        root.choose_colours("Dark")
        assert root.page.evaluate("getComputedStyle(document.body).backgroundColor") != light
        root.open("/admin/")
        assert root.page.evaluate("getComputedStyle(document.body).backgroundColor") != light

    @pytest.mark.slow
    def test_lead_to_the_tables_and_the_users_own_pages(self, root):
        root.open("/admin/")
        root.page.get_by_role("navigation", name="Admin sections").get_by_role(
            "link", name="Messages", exact=True
        ).click()
        root.page.get_by_role("heading", level=1).wait_for()
        root.page.get_by_role("navigation", name="Breadcrumbs").get_by_role("link", name="Home").click()
        root.page.locator(".c-account summary").click()
        root.page.get_by_role("link", name="Your sessions").click()
        root.page.get_by_role("link", name="Change your password").click()
        root.page.wait_for_url("**/password/")

    def test_ask_users_to_log_in(self, open_window):
        window = open_window(viewport=WIDE)
        window.open(MESSAGES)
        window.page.wait_for_url(f"**/admin/login/?next={MESSAGES}")
        expect(window.page.get_by_role("heading", level=1)).to_have_text("Log in")
        check_looks(window.page)
