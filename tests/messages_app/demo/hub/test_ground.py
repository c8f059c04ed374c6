import pytest

from messages_app.demo.hub.ground import Ground, look_at_ground
from messages_app.demo.loader import load_demo
from tests.support.factories import make_message
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db


class TestLookAtGround:
    def test_reports_an_empty_hub(self):
        assert look_at_ground() is Ground.EMPTY

    def test_reports_those_of_the_demo(self):
        load_demo(count=50, seed=3, on_progress=lambda done: None)
        assert look_at_ground() is Ground.DEMO

    @pytest.mark.parametrize(
        "columns", quick_first([{"operation_name": "Invoice"}, {"source_system": "SAP"}])
    )
    def test_reports_any_foreign_message(self, columns):
        load_demo(count=50, seed=3, on_progress=lambda done: None)
        make_message(**columns)
        assert look_at_ground() is Ground.FOREIGN
