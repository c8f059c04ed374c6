import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.messages.failures.models import ErrorCode, FailureGroup
from tests.support.page_client import client_of, text_of
from tests.support.page_forms import send_form
from tests.support.page_tables import read_texts

pytestmark = pytest.mark.django_db
NEW = {"code": "X900", "description": "Ours", "action": "Call ada.", "reason": "a new check"}


@pytest.fixture
def admin() -> Client:
    return client_of("admin")


def make_code() -> ErrorCode:
    return ErrorCode.objects.create(code="X900", description="Ours", action="Call ada.")


class TestCodeList:
    def test_shows_each_code_with_its_use(self, admin):
        make_code()
        for number, failures in enumerate((3, 4)):
            FailureGroup.objects.create(
                fingerprint=f"f{number}",
                service_name="crm",
                operation_name="o",
                failed_error_code="X900",
                failures=failures,
                first_seen="2026-11-01T00:00:00Z",
                last_seen="2026-11-01T00:00:00Z",
            )
        page = admin.get("/error-codes/")
        columns = ("Code", "Meaning", "Recommended action", "From", "Failures")
        rows = read_texts(page, "Error codes", *columns)
        assert ("X900", "Ours", "Call ada.", "added", "7") in rows
        assert ("E103", "the hub", "0") in {(row[0], *row[3:]) for row in rows}
        assert '/messages/?failed_error_code=X900"' in text_of(page)

    def test_offers_no_change_to_users_who_may_only_look(self):
        text = text_of(client_of("support").get("/error-codes/"))
        assert "E103" in text
        assert "Add code" not in text
        assert "/error-codes/E103/" not in text


class TestAddCode:
    def test_adds_and_records_it(self, admin):
        assert admin.post("/error-codes/new/", NEW).status_code == 302
        code = ErrorCode.objects.get(code="X900")
        assert (code.description, code.action, code.is_own) == ("Ours", "Call ada.", False)
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.subject_kind, entry.subject) == (
            "create_error_code",
            "error_code",
            "X900",
        )
        assert entry.reason == "a new check"
        assert entry.details == {"code": "X900", "after": {"description": "Ours", "action": "Call ada."}}

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("code", ""),
            ("code", "TOOLONG"),
            ("code", "a/b"),
            ("code", "é"),
            ("code", "a\0"),
            ("code", "new"),
            ("description", " "),
            ("description", "x" * 201),
            ("action", "x" * 2001),
            ("reason", ""),
        ],
    )
    def test_shows_errors_next_to_the_field(self, admin, field, value):
        answer = admin.post("/error-codes/new/", NEW | {field: value})
        assert answer.status_code == 400
        assert list(answer.context["form"].errors) == [field]
        assert not ErrorCode.objects.filter(is_own=False).exists()

    def test_refuses_a_code_that_exists(self, admin):
        answer = admin.post("/error-codes/new/", NEW | {"code": "E103"})
        assert answer.status_code == 409
        assert "The catalogue has E103 already." in text_of(answer)
        assert not AuditEntry.objects.exists()


class TestChangeCode:
    def test_changes_the_texts_also_of_the_hubs_own(self, admin):
        before = ErrorCode.objects.get(code="E103")
        fields = {"description": "Bank is down", "action": "", "reason": "clearer"}
        assert send_form(admin, "/error-codes/E103/", fields).status_code == 302
        assert ErrorCode.objects.get(code="E103").description == "Bank is down"
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.subject, entry.reason) == ("change_error_code", "E103", "clearer")
        assert entry.details["before"] == {"description": before.description, "action": before.action}
        assert entry.details["after"] == {"description": "Bank is down", "action": ""}

    def test_finds_no_other_code(self, admin):
        for path in ("ZZZ", "a%00b"):
            assert admin.get(f"/error-codes/{path}/").status_code == 404

    def test_shows_its_errors_and_changes(self, admin):
        make_code()
        assert admin.post("/error-codes/X900/", {"description": ""}).status_code == 400
        send_form(admin, "/error-codes/X900/", {"description": "d", "reason": "clearer"})
        assert "clearer" in text_of(admin.get("/error-codes/X900/"))


class TestDeleteCode:
    def test_asks_and_deletes_a_code_that_was_added(self, admin):
        make_code()
        assert "This cannot be undone." in text_of(admin.get("/error-codes/X900/delete/"))
        assert admin.post("/error-codes/X900/delete/", {"reason": ""}).status_code == 400
        assert admin.post("/error-codes/X900/delete/", {"reason": "not used"}).status_code == 302
        assert not ErrorCode.objects.filter(code="X900").exists()
        assert AuditEntry.objects.get().action == "delete_error_code"

    def test_never_deletes_one_of_the_hubs_own(self, admin):
        answer = admin.post("/error-codes/E103/delete/", {"reason": "r"})
        assert answer.status_code == 409
        assert "cannot be deleted" in text_of(answer)
        assert ErrorCode.objects.filter(code="E103").exists()
        assert not AuditEntry.objects.exists()

    @pytest.mark.parametrize("role", ["support", "operator"])
    def test_is_for_administrators_like_every_change(self, role):
        make_code()
        client = client_of(role)
        for path in ("/error-codes/new/", "/error-codes/X900/", "/error-codes/X900/delete/"):
            assert client.post(path, NEW).status_code == 403
        assert ErrorCode.objects.filter(code="X900", description="Ours").exists()
