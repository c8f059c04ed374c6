import pytest

from messages_app.shared.external_calls import CallRow, add_up, group_by_system, system_of
from tests.support.factories import NOON


def call(operation: str, state: str = "OK", msg_id: int = 1) -> CallRow:
    return CallRow(1, NOON, msg_id, operation, state, NOON)


class TestSystemOf:
    @pytest.mark.parametrize(
        ("target", "system"),
        [
            ("http://crm.example/ws?x=1", "crm.example"),
            ("https://user:secret@crm.example:8443/ws", "crm.example:8443"),
            ("direct:billing", "direct:billing"),
            ("direct://billing", "direct:billing"),
            ("seda://billing?size=5", "seda:billing?size=•••"),
            ("confirmation", "confirmation"),
            ("spring-ws:http://user:secret@crm.example/ws?k=1", "crm.example"),
            ("spring-ws://https://crm.example:8443/ws?messageFactory=x", "crm.example:8443"),
            ("http://[broken?k=1", "http://[broken?k=•••"),
            ("http://[broken", "http://[broken"),
            ("", ""),
        ],
    )
    def test_is_the_host_or_the_target_itself(self, target, system):
        assert system_of(target) == system


class TestAddUp:
    def test_counts_by_the_rule_of_a_restart(self):
        calls = [call("http://crm.example/a"), call("http://crm.example/b", "FAILED")]
        targets = [("http://crm.example/a", 1)]
        names = ("skipped", "sent_again", "asked_before")
        plain = {("crm.example", each): 1 for each in names}
        assert add_up(calls, targets, total=False) == plain
        total = add_up(calls, targets, total=True)
        assert (total["crm.example", "sent_again"], total["crm.example", "repeated"]) == (2, 1)


class TestBySystem:
    def test_sorts_by_the_number_of_calls(self):
        counts = add_up([call("a"), call("b"), call("b")], [], total=True)
        assert list(group_by_system(counts, most=5)) == ["b", "a"]
        assert list(group_by_system(counts, most=1)) == ["b"]
