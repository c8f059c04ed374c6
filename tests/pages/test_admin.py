import pytest
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Group, User
from django.db.models import Model
from playwright.sync_api import Page, expect

from messages_app.access.models import ApiToken
from messages_app.access.token_services import create_token
from messages_app.audit.services import SYSTEM
from messages_app.core.table_admin.model_admin import TableAdmin
from messages_app.messages.failures.models import ErrorCode
from tests.pages.checks import WIDE, check_looks, looks_for_axe
from tests.pages.window import Window
from tests.support.eventually import eventually
from tests.support.factories import PASSWORD, make_user
from tests.support.staff import rows_of_hub

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
    window.log_in(is_staff=True, is_superuser=True, username="root", has_confirmed=True)
    return window


@pytest.fixture
def rows() -> list[Model]:
    """Store a row of each table of the admin, and return them."""
    grace = make_user("support", username="grace")
    token, _ = create_token(user=grace, name="nightly-import", actor=SYSTEM)
    code = ErrorCode.objects.filter(is_own=True).first()
    support = Group.objects.get(name="support")
    return [grace, support, token, code, *rows_of_hub()]


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


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator(".is-success").wait_for()


class TestAdminPages:
    @pytest.mark.slow
    def test_have_names_headings_and_space_and_follow_the_policy_of_all_pages(self, root, rows):
        assert {type(row) for row in rows} == set(admin.site._registry)
        LogEntry.objects.log_actions(User.objects.get(username="root").pk, rows, CHANGE)
        grace = rows[0]
        paths = ["/admin/", "/admin/auth/", f"/admin/auth/user/{grace.pk}/password/"]
        paths += ["/admin/auth/user/?q=grace&is_staff__exact=0&o=-1.2", "/admin/auth/group/add/?_popup=1"]
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
        # Tokens are made elsewhere and never deleted, nor is what the hub's own codes mean. Tables of the hub
        # are read-only.
        refused = [path.split("/")[3:] for path, status in opened.items() if status != 200]
        assert [(table, page[-2]) for table, *page in refused] == [
            ("apitoken", "add"),
            ("apitoken", "delete"),
            ("errorcode", "delete"),
            *((row._meta.model_name, page) for row in rows[4:] for page in ("add", "delete")),
        ]

    def test_run_no_script_that_was_put_into_them(self, root):
        root.open("/admin/auth/user/")
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
        root.open("/admin/auth/user/")
        light = root.page.evaluate("getComputedStyle(document.body).backgroundColor")
        root.choose_colours("Dark")
        assert root.page.evaluate("getComputedStyle(document.body).backgroundColor") != light
        root.open("/admin/auth/user/add/")
        assert root.page.evaluate("getComputedStyle(document.body).backgroundColor") != light

    @pytest.mark.slow
    def test_lead_to_the_tables_and_the_users_own_pages(self, root):
        root.open("/admin/")
        root.page.get_by_role("navigation", name="Admin sections").get_by_role("link", name="Users").click()
        root.page.get_by_role("heading", level=1).wait_for()
        root.page.get_by_role("navigation", name="Breadcrumbs").get_by_role("link", name="Home").click()
        root.page.get_by_role("link", name="Your sessions").click()
        root.page.get_by_role("link", name="Change your password").click()
        root.page.wait_for_url("**/password/")

    def test_ask_users_to_log_in(self, open_window):
        window = open_window(viewport=WIDE)
        window.open("/admin/auth/user/")
        window.page.wait_for_url("**/admin/login/?next=/admin/auth/user/")
        expect(window.page.get_by_role("heading", level=1)).to_have_text("Log in")
        check_looks(window.page)


class TestListsOfTheAdmin:
    @pytest.mark.slow
    def test_are_searched_filtered_and_sorted(self, root, rows):
        root.open("/admin/auth/user/")
        page, lines = root.page, root.page.locator("#result_list tbody tr")
        page.locator("#searchbar").fill("grace")
        page.get_by_role("button", name="Search").click()
        expect(lines).to_have_count(1)
        page.goto("/admin/auth/user/")
        filters = page.get_by_role("navigation", name="Filter")
        filters.get_by_role("link", name="support").click()
        expect(lines).to_have_count(1)
        filters.get_by_role("link", name="Clear all filters").click()
        expect(lines).not_to_have_count(1)
        page.get_by_role("columnheader", name="Username").get_by_role("link").first.click()
        page.wait_for_url("**o=*")
        name = page.get_by_role("table", name="Users").get_by_role("columnheader", name="Username")
        before = name.get_attribute("aria-sort")
        name.get_by_role("link", name="Reverse the order").click()
        expect(name).not_to_have_attribute("aria-sort", before)
        name.hover()
        name.get_by_role("link", name="Remove from sorting").click()
        page.wait_for_url(lambda url: "o=1" not in url and "o=-1" not in url)

    @pytest.mark.slow
    def test_act_on_the_rows_that_are_picked(self, root, rows):
        root.open("/admin/messages_app/apitoken/")
        root.page.locator("#action-toggle").check()
        expect(root.page.locator(".action-counter")).to_contain_text("1 of 1 selected")
        root.page.get_by_label("Action:").select_option(label="Revoke selected tokens")
        root.page.get_by_role("button", name="Go").click()
        eventually(lambda: ApiToken.objects.get().revoked_at is not None)


class TestFormsOfTheAdmin:
    def test_ask_for_the_password_and_keep_what_was_entered(self, open_window, rows):
        window = open_window(viewport=WIDE)
        window.log_in(is_staff=True, is_superuser=True, username="eve")
        grace, page = rows[0], window.page
        window.open(f"/admin/auth/user/{grace.pk}/change/")
        page.get_by_label("First name").fill("Grace")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Confirm your password")
        check_looks(page)
        page.get_by_label("Your password").fill("wrong")
        page.get_by_role("button", name="Confirm password").click()
        expect(page.get_by_role("alert")).to_contain_text("Incorrect password.")
        page.get_by_label("Your password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm password").click()
        page.locator(".is-success").wait_for()
        grace.refresh_from_db()
        assert grace.first_name == "Grace"
        window.open("/admin/auth/user/add/")
        expect(page.get_by_label("Username")).to_be_visible()

    @pytest.mark.slow
    def test_add_a_user_and_change_the_password(self, root):
        root.open("/admin/auth/user/add/")
        page = root.page
        page.get_by_label("Username").fill("linus")
        for name in ("password1", "password2"):
            page.locator(f"[name={name}]").fill("a battery of correct horses")
        save(page)
        page.get_by_role("link", name="Reset password").click()
        for name in ("password1", "password2"):
            page.locator(f"[name={name}]").fill("a stable of patient zebras")
        page.get_by_role("button", name="Change password").click()
        page.locator(".is-success").wait_for()
        assert User.objects.get(username="linus").check_password("a stable of patient zebras")

    @pytest.mark.slow
    def test_show_errors_next_to_the_field(self, root):
        root.open("/admin/auth/user/add/")
        root.page.get_by_role("button", name="Save", exact=True).click()
        expect(root.page.locator(".errornote")).to_be_visible()
        expect(root.page.locator(".form-row.errors").first).to_contain_text("This field is required")
        check_looks(root.page)

    @pytest.mark.slow
    def test_move_rights_between_two_lists(self, root, rows):
        grace, page = rows[0], root.page
        root.open(f"/admin/auth/user/{grace.pk}/change/")
        page.locator("#id_groups_from").select_option(label="operator")
        page.locator("#id_groups_add").click()
        page.locator("#id_user_permissions_input").fill("view_payload")
        save(page)
        assert {group.name for group in grace.groups.all()} == {"support", "operator"}

    @pytest.mark.slow
    def test_let_users_pick_a_day_and_a_time(self, root, rows):
        grace, page = rows[0], root.page
        root.open(f"/admin/auth/user/{grace.pk}/change/")
        page.locator(".date-icon").first.click()
        page.locator(".calendarbox .calendar a").first.click()
        page.locator(".clock-icon").first.click()
        page.get_by_role("link", name="Noon").first.click()
        first = page.locator("#id_last_login_0").input_value()
        save(page)
        grace.refresh_from_db()
        assert (f"{grace.last_login:%Y-%m-%d}", grace.last_login.hour) == (first, 12)

    @pytest.mark.slow
    def test_add_related_rows_in_a_separate_window(self, root, rows):
        grace, page = rows[0], root.page
        root.open(f"/admin/auth/user/{grace.pk}/change/")
        with page.expect_popup() as opened:
            page.locator("#add_id_groups").click()
        popup = Window(opened.value, server=root.server)
        popup.page.get_by_label("Name:", exact=True).fill("auditors")
        with popup.page.expect_event("close"):
            popup.page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("#id_groups_to option", has_text="auditors")).to_have_count(1)
        save(page)
        assert not popup.complaints
        assert {group.name for group in grace.groups.all()} == {"auditors", "support"}

    @pytest.mark.slow
    def test_delete_only_after_a_confirmation(self, root):
        code, page = ErrorCode.objects.create(code="X900", description="Ours"), root.page
        root.open(f"/admin/messages_app/errorcode/{code.pk}/change/")
        page.get_by_role("link", name="Delete", exact=True).click()
        page.wait_for_load_state()  # before, the link back leads nowhere
        page.get_by_role("link", name="No, take me back").click()
        page.get_by_role("link", name="Delete", exact=True).click()
        assert ErrorCode.objects.filter(pk=code.pk).exists()
        page.get_by_role("button", name="Yes, I’m sure").click()
        page.locator(".is-success").wait_for()
        assert not ErrorCode.objects.filter(pk=code.pk).exists()
