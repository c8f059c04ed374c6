import pytest
from django.test import Client

from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

ADDRESS = "/jobs/new/duration/"


@pytest.fixture
def support() -> Client:
    return client_of("support")


def duration(client: Client, **values: object) -> str:
    return text_of(client.get(ADDRESS, values)).strip()


class TestDurationPart:
    def test_shows_the_duration_at_the_entered_rate(self, support):
        assert duration(support, to_do=6_000, rate="2") == "about 50 min at 2/s."

    def test_is_limited_by_the_usual_rate(self, support):
        assert duration(support, to_do=6_000, rate="2", usual_rate="1") == "about 100 min at 1/s."
        assert duration(support, to_do=6_000, rate="", usual_rate="1.5") == "about 66 min at 1.5/s."

    @pytest.mark.parametrize("rate", ["", "0", "-1"])
    def test_is_empty_without_a_rate(self, support, rate):
        response = support.get(ADDRESS, {"to_do": 1, "rate": rate, "usual_rate": ""})
        assert (response.status_code, response.content) == (204, b"")

    def test_shows_at_most_a_century(self, support):
        assert duration(support, to_do=10**15, rate="1e-300").startswith("about 36500 d at ")

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("to_do", "x"),
            ("to_do", "-1"),
            ("to_do", "1" * 5_000),
            ("rate", "x"),
            ("rate", "nan"),
            ("rate", "inf"),
            ("usual_rate", "-1"),
            ("usual_rate", "\0"),
        ],
    )
    def test_rejects_values_that_are_not_numbers_with_their_names(self, support, name, value):
        response = support.get(ADDRESS, {"to_do": 1, "rate": "2"} | {name: value})
        assert response.status_code == 400
        assert name in text_of(response)
