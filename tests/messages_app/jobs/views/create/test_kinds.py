import pytest

from tests.support.page_client import client_of, reader_of, text_of

pytestmark = pytest.mark.django_db


def addresses(response) -> dict[str, str]:
    return {choice.name: choice.address for _, choices in response.context["parts"] for choice in choices}


COMMON = "Find what failures have in common"


class TestChooseKind:
    def test_offers_an_admin_every_kind(self):
        response = client_of("admin").get("/jobs/new/")
        assert response.status_code == 200
        assert addresses(response) == {
            "Archive messages": "/jobs/new/?kind=archive",
            "Restore messages": "/messages/?archived=true",
            "Restart messages": "/messages/",
            "Cancel messages": "/messages/",
            "Reprocess messages": "/message-store/messages/",
            "Export messages": "/messages/",
            "Find what failures have in common": "/messages/",
            "Index business keys": "/jobs/new/?kind=index_keys",
            "Archive old attempts": "/jobs/new/?kind=archive_history",
            "Group failures": "/jobs/new/?kind=group_failures",
        }
        assert text_of(response).count("Filter the list, then choose the job") == 1

    def test_leads_only_to_pages_that_open(self):
        client = reader_of("admin")
        for name, address in addresses(client.get("/jobs/new/")).items():
            assert client.get(address).status_code == 200, name

    @pytest.mark.parametrize(
        ("role", "names"),
        [
            ("support", {"Export messages", COMMON}),
            (
                "operator",
                {"Restart messages", "Cancel messages", "Export messages", "Reprocess messages", COMMON},
            ),
        ],
    )
    def test_offers_only_kinds_that_the_user_may_start(self, role, names):
        offered = set(addresses(client_of(role).get("/jobs/new/")))
        assert names <= offered
        assert not {"Archive messages", "Restore messages", "Archive old attempts"} & offered
