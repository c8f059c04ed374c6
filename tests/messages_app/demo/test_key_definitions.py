import pytest

from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.business_keys.passes import extract_new_keys
from messages_app.demo.key_definitions import define_keys
from messages_app.demo.loader import load_demo
from messages_app.messages.models import Message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


class TestDefineKeys:
    def test_finds_every_kind_of_number_in_the_payloads_of_the_demo(self):
        load_demo(count=300, seed=1, on_progress=lambda done: None)
        extract_new_keys(seconds=60)
        names = dict(KeyDefinition.objects.values_list("definition_id", "name"))
        with_values = {names[pk] for pk in BusinessKey.objects.values_list("definition_id", flat=True)}
        assert with_values == {"order", "customer", "invoice", "variable symbol"}
        assert not KeyDefinition.objects.filter(unreadable__gt=0)

    def test_finds_an_order_with_its_invoice(self):
        load_demo(count=300, seed=1, on_progress=lambda done: None)
        extract_new_keys(seconds=60)
        invoice = Message.objects.filter(operation_name="createInvoice", parent_msg_id__isnull=False)[0]
        order = Message.objects.get(pk=invoice.parent_msg_id)
        page = text_of(client_of("support").get(f"/keys/{order.object_id}/"))
        for message in (order, invoice):
            assert f'href="/messages/{message.pk}/"' in page

    def test_leaves_definitions_that_are_there(self):
        KeyDefinition.objects.create(service_name="s", operation_name="o", name="n", path="//a")
        define_keys()
        assert KeyDefinition.objects.count() == 1
