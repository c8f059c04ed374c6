"""
New messages: their rows, and the audit entry of people.

Source: docs/contributing/spec/cp_queue.md, "Operations".
"""

import pytest

from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.services.create import create_messages, rendition_changed, would_create
from messages_app.cp_queue.states import RenditionChange
from tests.support.audit_entries import GRACE, audit_rows, by_grace

pytestmark = pytest.mark.django_db


class TestCreate:
    def test_makes_a_message_of_the_object_for_each_queue(self):
        asked = {"object_id": 71, "object_type": 82, "queues": ["NEW", "PAGECOUNT", "NEW"]}
        assert would_create(**asked) == 2
        assert not CpMessage.objects.exists()
        assert create_messages(**asked) == 2
        rows = CpMessage.objects.order_by("queuename").values_list(
            "queuename", "osid", "ostype", "lock_service"
        )
        assert list(rows) == [("NEW", 71, 82, None), ("PAGECOUNT", 71, 82, None)]
        assert len(set(CpMessage.objects.values_list("created", flat=True))) == 1
        assert audit_rows() == []

    def test_is_audited_with_all_its_values_if_a_person_does_it(self):
        create_messages(object_id=71, object_type=82, queues=["NEW", "OCR"], actor=GRACE, reason="as agreed")
        details = {"osid": 71, "ostype": 82, "queues": ["NEW", "OCR"], "created": 2}
        assert audit_rows() == [by_grace("create_cp_messages", reason="as agreed", details=details)]

    @pytest.mark.parametrize(
        ("wrong", "field"), [({"object_id": -1}, "ObjectID"), ({"object_type": 2**31}, "ObjectType")]
    )
    def test_refuses_numbers_of_no_object(self, wrong, field):
        asked = {"object_id": 71, "object_type": 82}
        for work in (
            lambda: create_messages(**asked | wrong, queues=["NEW"]),
            lambda: rendition_changed(**asked | wrong, change=RenditionChange.TEXT),
            lambda: rendition_changed(**asked | wrong, change=RenditionChange.PAGECOUNT),
        ):
            with pytest.raises(InvalidParameter) as refused:
                work()
            assert (refused.value.field, refused.value.code) == (field, "out_of_range")
        assert not CpMessage.objects.exists()

    def test_indexes_an_object_again_whose_text_has_changed(self):
        made = [rendition_changed(object_id=71, object_type=82, change=change) for change in RenditionChange]
        assert made == [int(change is RenditionChange.TEXT) for change in RenditionChange]
        assert list(CpMessage.objects.values_list("queuename", "osid", "ostype")) == [("FULLTEXTDOC", 71, 82)]
