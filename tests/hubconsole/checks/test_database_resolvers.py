import pytest

from hubconsole.checks import Unhealthy
from hubconsole.checks.database import doctor_parts
from messages_app.document_history.services.resolvers import register_resolver, unregister_resolver
from messages_app.document_history.services.triggers import delete_trigger
from tests.support.histories import ADA, make_trigger

pytestmark = pytest.mark.django_db


class TestCheckResolvers:
    def test_accepts_no_triggers_and_registered_resolvers(self):
        assert doctor_parts()["resolvers"]() is None
        register_resolver("tests.ledger")(_ask)
        try:
            make_trigger(resolver="tests.ledger")
            make_trigger("t-2")
            assert doctor_parts()["resolvers"]() is None
        finally:
            unregister_resolver("tests.ledger")

    def test_names_the_triggers_whose_resolver_no_longer_exists(self):
        for number in range(7):
            make_trigger(f"t-{number}", resolver="tests.gone")
        with pytest.raises(Unhealthy) as refused:
            doctor_parts()["resolvers"]()
        why, do = str(refused.value.why), str(refused.value.do)
        assert why.startswith(
            "the resolver of t-0, t-1, t-2, t-3, t-4 and 2 more is unavailable: There is no resolver"
        )
        assert "HUBCONSOLE_RESOLVERS" in do

    def test_does_not_ask_for_deleted_triggers(self):
        make_trigger(resolver="tests.gone")
        delete_trigger(trigger_id="t-1", actor=ADA)
        assert doctor_parts()["resolvers"]() is None


def _ask(asked):
    return {"status": "NEW"}
