import pytest
from django.forms import ValidationError

from messages_app.business_keys.models import KeyDefinition
from messages_app.core.clock import database_clock
from messages_app.jobs.kinds.analysis_options import FilterField, make_key_field, write_filter
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


class TestFilterField:
    @pytest.mark.parametrize(
        ("line", "filter"),
        [
            ("", {}),
            ("state:OK service:order", {"service_name": "order", "state": "OK"}),
            ("state:OK,FAILED service:b&c", {"service_name": "b&c", "state": "OK,FAILED"}),
        ],
    )
    def test_takes_a_query_line_and_writes_it_again(self, line, filter):
        assert FilterField(required=False).clean(line) == filter
        assert write_filter(filter) == line

    @pytest.mark.parametrize(
        ("line", "fault"),
        [
            ("nothing:x", "nothing"),
            ("order", "Write a filter, such as service:order."),
            ("state:NOPE", "NOPE"),
            ("x" * 2_001, "2000 characters"),
        ],
    )
    def test_refuses_other_texts(self, line, fault):
        with pytest.raises(ValidationError) as refused:
            FilterField(required=False).clean(line)
        assert fault in " ".join(refused.value.messages)

    def test_is_in_the_form_of_an_analysis(self):
        page = "/jobs/new/?kind=analyse&state=FAILED&compare_with="
        client = client_of("support")
        shown = text_of(client.get(f"{page}service:order"))
        assert 'value="service:order"' in shown
        assert 'id="id_compare_with_error" role="alert"' in text_of(client.get(f"{page}servise:order"))


class TestKeyField:
    def test_offers_keys_that_are_not_deleted(self):
        names = {"service_name": "order", "operation_name": "create"}
        order = KeyDefinition.objects.create(name="Order", path="/a", **names)
        paused = KeyDefinition.objects.create(name="Customer", path="/b", active=False, **names)
        KeyDefinition.objects.create(name="Old", path="/c", deleted_at=database_clock(), **names)
        field = make_key_field(required=False)
        assert list(field.choices) == [
            ("", "All active keys"),
            (str(paused.pk), "Customer of order create"),
            (str(order.pk), "Order of order create"),
        ]
        assert (field.clean(""), field.clean(str(order.pk))) == (None, order.pk)
        with pytest.raises(ValidationError, match="No business key has this id"):
            field.clean(str(order.pk + 100))
