import pytest

from messages_app.audit.models import AuditEntry
from messages_app.business_keys.models import KeyDefinition
from tests.support.factories import NOON, make_message
from tests.support.page_client import client_of, notices_of, reader_of, text_of

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
        assert "Delete" not in page
        assert "Delete…" in text_of(client_of("admin", username="bob").get(PAGE))


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
