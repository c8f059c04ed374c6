import pytest

from messages_app.audit.models import AuditEntry
from messages_app.business_keys.models import KeyDefinition
from tests.support.factories import NOON, make_message
from tests.support.page_client import client_of, notices_of, reader_of, text_of
from tests.support.page_forms import send_form

pytestmark = pytest.mark.django_db
PAGE, NEW = "/business-keys/", "/business-keys/new/"
FORM = {
    "service_name": "billing",
    "operation_name": "createInvoice",
    "name": "order",
    "path": "//order/id",
    "reason": "asked by number",
}


class TestDefinitionList:
    def test_shows_how_many_messages_had_no_usable_value(self):
        KeyDefinition.objects.create(
            service_name="billing",
            operation_name="createInvoice",
            name="order",
            path="//order/id",
            read=9_001,
            unreadable=42,
            missing=17,
            problem="Not XML.",
            problem_msg_id=777,
            problem_at=NOON,
        )
        page = text_of(client_of("support").get(PAGE))
        for text in (">42<", ">17<", "Not XML.", 'href="/messages/777/"', "//order/id"):
            assert text in page
        own = KeyDefinition.objects.get(unreadable=42).pk
        assert f'href="{PAGE}{own}/"' not in page
        assert f'href="{PAGE}{own}/"' in text_of(client_of("admin", username="bob").get(PAGE))


class TestNewDefinition:
    def test_previews_values_of_real_messages_and_stores_nothing(self):
        make_message(payload="<order><id>N4711</id></order>")
        reader = reader_of("admin", "view_payload")
        page = text_of(reader.post(NEW, FORM | {"preview": "1"}))
        assert "N4711" in page
        assert 'value="//order/id"' in page
        masked = text_of(client_of("admin", username="bob").post(NEW, FORM | {"preview": "1"}))
        assert "N4711" not in masked
        assert KeyDefinition.objects.count() == 0

    def test_defines_a_key_with_an_audit_entry(self):
        answer = client_of("admin").post(NEW, FORM | {"sensitive": "on"})
        assert (answer.status_code, answer.headers["Location"]) == (302, PAGE)
        row = KeyDefinition.objects.get()
        assert (row.name, row.path, row.sensitive, row.active) == ("order", "//order/id", True, True)
        assert AuditEntry.objects.get(action="create_business_key").reason == "asked by number"

    @pytest.mark.parametrize("step", [{}, {"preview": "1"}])
    def test_shows_why_a_path_is_refused_next_to_its_field(self, step):
        answer = client_of("admin").post(NEW, FORM | {"path": "//x["} | step)
        assert answer.status_code == 400
        assert "not a valid XPath" in text_of(answer)
        assert KeyDefinition.objects.count() == 0

    def test_refuses_operators_and_records_it(self):
        assert client_of("operator").post(NEW, FORM).status_code == 403
        assert AuditEntry.objects.get(action="create_business_key").outcome == "refused"

    def test_suggests_fields_of_real_messages_and_fills_in_the_one_that_is_chosen(self):
        make_message(payload="<order><id>N4711</id></order>")
        operation = {name: FORM[name] for name in ("service_name", "operation_name")}
        reader = reader_of("admin", "view_payload")
        page = text_of(reader.post(NEW, operation | {"suggest": "1"}))
        assert "N4711" in page
        assert 'name="choose" value="name=order&amp;path=%2F%2Fid"' in page
        chosen = {"choose": "name=order&path=%2F%2Fid"}
        values = [("", "order"), ("invoice no", "invoice no")]
        for name, shown in values:
            typed = operation | {"name": name, "path": "//old", "sensitive": "on", "reason": "asked by Eva"}
            form = reader.post(NEW, typed | chosen).context["form"]
            assert {field.name: field.value() for field in form} == {
                **operation,
                "name": shown,
                "path": "//id",
                "sensitive": True,
                "reason": "asked by Eva",
            }
        masked = text_of(client_of("admin", username="bob").post(NEW, operation | {"suggest": "1"}))
        assert "N4711" not in masked
        assert KeyDefinition.objects.count() == 0

    def test_needs_the_service_and_the_operation_for_suggestions(self):
        answer = client_of("admin").post(NEW, {"suggest": "1"})
        assert answer.status_code == 400
        assert text_of(answer).count("c-field-error") == 3  # of two fields, and their summary

    def test_offers_services_and_operations_of_messages(self):
        make_message(service_name="payment", operation_name="postPayment")
        page = text_of(client_of("admin").get(NEW))
        assert '<option value="payment">' in page
        assert '<option value="postPayment">' in page


class TestChangeDefinition:
    @pytest.fixture
    def definition(self) -> KeyDefinition:
        columns = {name: FORM[name] for name in ("service_name", "operation_name", "name", "path")}
        return KeyDefinition.objects.create(**columns)

    def test_changes_the_name_and_whether_it_is_sensitive_and_active(self, definition):
        admin, address = client_of("admin"), f"{PAGE}{definition.pk}/"
        assert 'value="order"' in text_of(admin.get(address))
        answer = send_form(admin, address, {"name": "order no", "sensitive": "on", "reason": "asked by Eva"})
        assert answer.headers["Location"] == PAGE
        definition.refresh_from_db()
        assert (definition.name, definition.sensitive, definition.active) == ("order no", True, False)
        assert definition.path == "//order/id"
        assert AuditEntry.objects.get(action="change_business_key").reason == "asked by Eva"

    def test_shows_a_fault_next_to_its_field(self, definition):
        KeyDefinition.objects.create(
            service_name="billing", operation_name="createInvoice", name="other", path="//order/id"
        )
        admin = client_of("admin")
        for name, text in (("other", "already has a key with this"), ("x" * 41, "at most 40 characters")):
            answer = send_form(admin, f"{PAGE}{definition.pk}/", {"name": name})
            assert answer.status_code == 400
            assert 'id="id_name_error"' in text_of(answer)
            assert text in text_of(answer)
        definition.refresh_from_db()
        assert definition.name == "order"

    def test_previews_what_its_path_finds_and_changes_nothing(self, definition):
        make_message(payload="<order><id>N4711</id></order>")
        reader = reader_of("admin", "view_payload")
        page = text_of(reader.post(f"{PAGE}{definition.pk}/", {"name": "other", "preview": "1"}))
        assert "N4711" in page
        definition.refresh_from_db()
        assert definition.name == "order"

    def test_leads_to_the_job_for_earlier_messages(self, definition):
        admin = client_of("admin")
        address = f"/jobs/new/?kind=index_keys&definition_id={definition.pk}"
        assert address.replace("&", "&amp;") in text_of(admin.get(f"{PAGE}{definition.pk}/"))
        assert f'<option value="{definition.pk}" selected>' in text_of(admin.get(address))

    def test_refuses_operators_and_records_it(self, definition):
        assert client_of("operator").post(f"{PAGE}{definition.pk}/", {"name": "x"}).status_code == 403
        assert AuditEntry.objects.get(action="change_business_key").outcome == "refused"


class TestRemoveDefinition:
    def test_deletes_with_a_reason(self):
        admin = client_of("admin")
        admin.post(NEW, FORM)
        address = f"{PAGE}{KeyDefinition.objects.get().pk}/remove/"
        assert admin.get(address).status_code == 200
        assert admin.post(address, {}).status_code == 400
        assert KeyDefinition.objects.get().deleted_at is None
        answer = admin.post(address, {"reason": "not used"})
        assert answer.headers["Location"] == PAGE
        assert notices_of(answer)[-1].endswith("deleted. Its values are no longer found.")
        assert KeyDefinition.objects.get().deleted_at is not None
        assert admin.get(address).status_code == 404
