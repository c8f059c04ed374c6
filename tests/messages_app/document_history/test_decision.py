import pytest

from messages_app.document_history.decision import (
    Delivery,
    Trigger,
    choose_rule_after_history,
    find_rule,
    is_history_needed,
)
from messages_app.document_history.states import RULES, Pair, Rule, Verdict


def trigger(*, detect: bool = True, history: bool = True, resolver: bool = False) -> Trigger:
    values = {"detect_duplicates": detect, "use_history": history, "resolver": "tests" if resolver else ""}
    return Trigger(**dict.fromkeys(Trigger._fields) | values)


def delivery(uuid: str = "u", *, count: int = 0, guaranteed: bool = True) -> Delivery:
    return Delivery(uuid=uuid, redelivery_count=count, is_guaranteed=guaranteed)


class TestDecide:
    @pytest.mark.parametrize("count", [-1, 0, 1, 7])
    @pytest.mark.parametrize(
        ("pair", "rule"),
        [
            (None, Rule.NO_ENTRY),
            (Pair.BOTH, Rule.BOTH_ENTRIES),
            (Pair.COMPLETED_ONLY, Rule.COMPLETED_ONLY),
            (Pair.PROCESSING_ONLY, Rule.PROCESSING_ONLY),
        ],
    )
    def test_uses_the_history_whatever_the_count_is(self, count, pair, rule):
        assert find_rule(trigger(), delivery(count=count), pair) is rule

    @pytest.mark.parametrize(
        ("count", "rule"),
        [
            (-1, Rule.NO_DELIVERY_COUNT),
            (0, Rule.FIRST_DELIVERY),
            (1, Rule.REDELIVERED),
            (9, Rule.REDELIVERED),
        ],
    )
    def test_uses_the_count_with_nothing_else(self, count, rule):
        assert find_rule(trigger(history=False), delivery(count=count)) is rule

    @pytest.mark.parametrize("count", [-1, 0, 1])
    def test_asks_a_resolver_without_history_for_any_count(self, count):
        assert find_rule(trigger(history=False, resolver=True), delivery(count=count)) is Rule.ASK_RESOLVER

    @pytest.mark.parametrize("pair", [None, Pair.BOTH, Pair.COMPLETED_ONLY])
    def test_does_not_call_the_resolver_if_the_history_decides(self, pair):
        assert find_rule(trigger(resolver=True), delivery(), pair) is find_rule(trigger(), delivery(), pair)

    @pytest.mark.parametrize(
        ("asked", "pair"),
        [(delivery(), Pair.PROCESSING_ONLY), (delivery("x" * 97), None), (delivery(""), None)],
    )
    def test_asks_the_resolver_if_the_history_is_inconclusive(self, asked, pair):
        assert find_rule(trigger(resolver=True), asked, pair) is Rule.ASK_RESOLVER

    def test_checks_no_identifier_without_history_and_resolver(self):
        assert find_rule(trigger(history=False), delivery("x" * 97)) is Rule.FIRST_DELIVERY

    def test_checks_no_volatile_document_and_nothing_for_a_trigger_that_detects_nothing(self):
        assert find_rule(trigger(), delivery(guaranteed=False), Pair.BOTH) is Rule.NOT_GUARANTEED
        assert find_rule(trigger(detect=False), delivery(count=5), Pair.BOTH) is Rule.DETECTION_OFF


class TestNeedsHistory:
    def test_is_for_guaranteed_documents_with_a_uuid_of_triggers_that_use_it(self):
        assert is_history_needed(trigger(), delivery())
        assert not is_history_needed(trigger(), delivery(guaranteed=False))
        assert not is_history_needed(trigger(), delivery(""))
        assert not is_history_needed(trigger(history=False), delivery())
        assert not is_history_needed(trigger(detect=False), delivery())


class TestAfterHistory:
    def test_is_never_new_if_the_history_could_not_be_reached(self):
        rule = choose_rule_after_history(trigger(), Rule.HISTORY_UNAVAILABLE)
        assert RULES[rule].verdict is Verdict.IN_DOUBT


class TestRules:
    def test_report_every_rule(self):
        assert set(RULES) == set(Rule)
