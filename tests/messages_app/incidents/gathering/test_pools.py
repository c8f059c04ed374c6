"""Pools hold variants of one error of a service."""

import pytest

from messages_app.incidents.gathering.pools import find_family, make_pools, measure_excess
from messages_app.shared.error_causes import Kind
from tests.messages_app.incidents.gathering.small_hub import REFUSED, SmallHub, make_cell


class TestFamilies:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Connection refused by pay.example", "Connection refused"),
            ("Service unavailable (HTTP 503) by a.example/x", "Service unavailable (HTTP 503)"),
            ("Step kalo of mirek ended with osu Alpha", "Step kalo of mirek ended with pek Beta"),
            ("Backend B1234 is not there", "Backend B9 is not there"),
        ],
    )
    def test_have_variants_of_one_error(self, one, other):
        assert find_family(one) == find_family(other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Null value in the program in Mapper.map", "Null value in the program in Check.run"),
            ("Duplicate key in constraint UK_ORDER", "Duplicate key in constraint UK_CUSTOMER"),
            ("Service unavailable (HTTP 503)", "Service unavailable (HTTP 502)"),
            ("$.items.vat: value is required", "$.address.zip: value is required"),
            ("Connection refused by pay.example", "No answer in time from pay.example"),
        ],
    )
    def test_keep_errors_apart(self, one, other):
        assert find_family(one) != find_family(other)

    def test_of_a_text_without_words_are_the_text(self):
        assert find_family("4711") == "4711"


class TestPools:
    def test_join_senders_and_operations_but_no_services_and_systems(self):
        hub = SmallHub()
        hub.fail(make_cell(sender="WEB"), [10])
        hub.fail(make_cell(sender="CRM", operation="cancel"), [10, 11])
        hub.fail(make_cell("order"), [10])
        hub.fail(make_cell(system="pay.example"), [10])
        pools = make_pools(hub.failures, hub.traffic)
        assert sorted((pool.service, pool.system, pool.total) for pool in pools) == [
            ("billing", "", 3),
            ("billing", "pay.example", 1),
            ("order", "", 1),
        ]
        assert {pool.kind for pool in pools} == {Kind.INFRASTRUCTURE}

    def test_are_new_if_no_service_had_the_text_at_the_start(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", "Kalo mirek osu"), [700])
        hub.fail(make_cell("billing", "Tek vis zulo"), [700])
        hub.fail(make_cell("order", "Tek vis zulo"), [5])
        news = {(pool.service, pool.family): pool.is_new for pool in make_pools(hub.failures, hub.traffic)}
        assert news == {
            ("billing", "kalo mirek osu"): True,
            ("billing", "tek vis zulo"): False,
            ("order", "tek vis zulo"): False,
        }

    def test_count_the_senders_and_operations_of_a_range(self):
        hub = SmallHub()
        hub.fail(make_cell(sender="WEB"), [10, 20])
        hub.fail(make_cell(sender="CRM", operation="cancel"), [20, 30])
        (pool,) = make_pools(hub.failures, hub.traffic)
        senders, operations = pool.count_values(15, 30)
        assert senders == {"WEB": 1, "CRM": 2}
        assert operations == {"create": 1, "cancel": 2}

    def test_have_no_minutes_without_failures(self):
        assert make_pools({make_cell(): {}}, SmallHub().traffic) == []


def test_the_excess_is_measured_against_the_rest_of_the_day():
    hub = SmallHub()
    hub.fail(make_cell(text=REFUSED), [100, 200, 700, 701, 702])
    excess = measure_excess(make_pools(hub.failures, hub.traffic), 691, 720, prior=0.0)
    assert excess.count == 3
    assert excess.expected == pytest.approx(2 * 30 / 1410)
    assert excess.purity > 0.98
    assert measure_excess([], 1, 2).count == 0
