import pytest

from tests.messages_app.messages.funnels.test_lanes import MINUTE, in_funnel
from tests.support.api_client import ApiClient, caller, problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> ApiClient:
    return caller("support")


class TestFunnelListView:
    def test_returns_holders_and_waiting_messages(self, reader):
        holder = in_funnel("7", state="PROCESSING", ago=3 * MINUTE)
        waiter = in_funnel("7")
        body = reader.get("funnels/").json()
        assert (body["next"], body["previous"], body["truncated"]) == (None, None, False)
        assert body["at"].endswith("Z")
        (lane,) = body["results"]
        assert (lane["component_id"], lane["value"], lane["waiting_count"]) == ("f", "7", 1)
        assert (lane["holders"][0]["msg_id"], lane["holders"][0]["is_idle"]) == (holder.pk, False)
        place = lane["waiting"][0]
        assert (place["msg_id"], place["position"], place["state"]) == (waiter.pk, 1, "POSTPONED")
        assert (place["why"], place["blocked_by"]) == ("held_by_funnel", holder.pk)

    def test_returns_the_head_of_an_order(self, reader):
        head = in_funnel("7", state="FAILED", guaranteed_order=True, ago=9 * MINUTE)
        in_funnel("7", guaranteed_order=True)
        (lane,) = reader.get("funnels/?value=7&component=f").json()["results"]
        assert [(one["msg_id"], one["state"]) for one in lane["order"]] == [(head.pk, "FAILED")]

    def test_returns_ten_messages_of_a_long_line(self, reader):
        for _ in range(12):
            in_funnel("7")
        (lane,) = reader.get("funnels/").json()["results"]
        assert (lane["waiting_count"], len(lane["waiting"])) == (12, 10)

    def test_pages_both_ways(self, reader):
        for number in range(3):
            in_funnel(str(number), ago=(9 - number) * MINUTE)
        first = reader.get("funnels/?page_size=2&blocked=true").json()
        second = reader.client.get(first["next"], headers=reader.headers).json()
        assert [lane["value"] for lane in second["results"]] == ["2"]
        back = reader.client.get(second["previous"], headers=reader.headers).json()
        assert [lane["value"] for lane in back["results"]] == ["0", "1"]

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("funnel_value=7", "funnel_value"),
            ("page_size=0", "page_size"),
            ("cursor=x", "cursor"),
            ("ordering=value", "ordering"),
        ],
    )
    def test_rejects_unknown_parameters_and_values(self, reader, query, field):
        body = problem(reader.get(f"funnels/?{query}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, field)

    def test_requires_a_permission(self):
        assert problem(caller().get("funnels/"))["status"] == 403
