"""Time is stretched where traffic is dense."""

import pytest

from messages_app.incidents.gathering.records import Window
from messages_app.incidents.gathering.traffic import Exposure, Traffic


class TestExposure:
    def test_is_as_long_as_the_window(self):
        exposure = Exposure(Window(1, 60), [9.0, 1.0])
        assert exposure.total == pytest.approx(60)
        assert exposure.measure_range(1, 60) == pytest.approx(60)

    def test_is_longer_where_traffic_is_dense(self):
        exposure = Exposure(Window(1, 60), [9.0, 1.0])
        # 15 % of an hour are spread evenly, and the rest by the traffic.
        assert exposure.measure_range(1, 30) == pytest.approx(0.15 * 30 + 0.85 * 54)
        assert exposure.measure_range(31, 60) == pytest.approx(0.15 * 30 + 0.85 * 6)

    def test_is_time_without_traffic(self):
        assert Exposure(Window(1, 60), [0.0, 0.0]).measure_range(11, 20) == pytest.approx(10)

    def test_is_empty_outside_the_window(self):
        exposure = Exposure(Window(1, 60), [1.0, 1.0])
        assert exposure.measure_range(-10, 0) == 0
        assert exposure.measure_range(61, 90) == 0


class TestTraffic:
    def test_has_the_share_of_a_sender(self):
        traffic = Traffic(Window(1, 60))
        traffic.add_messages("billing", "WEB", 10, 89)
        traffic.add_messages("billing", "CRM", 10, 10)
        assert traffic.find_share("billing", "WEB", 1, 60) == pytest.approx(89.5 / 100)
        assert traffic.find_share("billing", "CRM", 11, 60) == pytest.approx(0.5)

    def test_ignores_messages_outside_the_window(self):
        traffic = Traffic(Window(1, 60))
        for minute in (0, 61):
            traffic.add_messages("billing", "WEB", minute, 100)
        assert traffic.find_share("billing", "WEB", 1, 60) == 0.5

    def test_of_several_services_counts_together(self):
        traffic = Traffic(Window(1, 60))
        traffic.add_messages("billing", "WEB", 10, 8)
        traffic.add_messages("order", "WEB", 40, 8)
        assert traffic.find_exposure(["order", "billing"]).measure_range(1, 30) == pytest.approx(30)
        assert traffic.find_exposure(["billing"]).measure_range(1, 30) == pytest.approx(4.5 + 51)


class TestTrafficOfANewConsole:
    def test_says_nothing_about_the_time_before_it(self):
        traffic = Traffic(Window(1, 240), is_new=True)
        traffic.add_messages("billing", "WEB", 190, 8)
        exposure = traffic.find_exposure(["billing"])
        assert exposure.measure_range(1, 180) == pytest.approx(180)
        assert exposure.measure_range(181, 210) == pytest.approx(4.5 + 51)

    def test_has_the_later_share_of_a_sender(self):
        traffic = Traffic(Window(1, 60), is_new=True)
        traffic.add_messages("billing", "WEB", 50, 99)
        assert traffic.find_share("billing", "WEB", 1, 40) == pytest.approx(99.5 / 100)
        assert traffic.find_share("order", "WEB", 1, 40) == 1
