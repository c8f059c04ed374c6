"""A source definition is stored, shown and recorded with each value in its own member."""

import pytest

from messages_app.message_store.api.definitions import DefinitionSerializer
from messages_app.message_store.models import SourceDefinition
from tests.support.api_client import caller
from tests.support.distinct_rows import check_body

NEW = {
    "system": "crm",
    "entity": "customer",
    "json_schema": {"type": "object"},
    "key_fields": ["id"],
    "references": {"country": "country"},
    "children": {"addresses": "address"},
    "reader": "",
    "processor": "",
}


def test_shows_each_value_of_its_own_column():
    check_body(
        DefinitionSerializer,
        SourceDefinition,
        json_schema={"type": "object"},
        key_fields=["id"],
        references={"country": "land"},
        children={"addresses": "address"},
    )


@pytest.mark.django_db
def test_stores_each_value_in_its_own_column():
    body = caller("admin").post("message-store/source-definitions/", NEW | {"reason": "r"}).json()
    assert {name: body[name] for name in NEW} == NEW
    stored = SourceDefinition.objects.get()
    assert {name: getattr(stored, name) for name in NEW} == NEW
