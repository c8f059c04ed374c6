import pytest

from messages_app.access.places import address_of_place, read_place


class TestReadPlace:
    @pytest.mark.parametrize(
        ("address", "label"),
        [
            ("/messages/1/", "Message 1"),
            ("/incidents/2/", "Incident 2"),
            ("/failures/3/", "Failure 3"),
            ("/jobs/4/", "Job 4"),
            ("/messages/views/5/", "View 5"),
            ("/keys/A%20B~2F1/", "Key A B/1"),
            ("/services/crm/", "Service crm"),
            ("/systems/pay.bank.example/", "System pay.bank.example"),
        ],
    )
    def test_names_each_kind(self, address, label):
        place = read_place(address)
        assert (place.label, place.address) == (label, address)

    @pytest.mark.parametrize("address", ["/messages/%31/", "/messages/001/"])
    def test_knows_an_object_whatever_the_spelling(self, address):
        assert read_place(address).address == "/messages/1/"

    @pytest.mark.parametrize(
        "address",
        [
            "",
            "/",
            "/messages/",
            "/messages/1",
            "/messages/1/?a=1",
            "/messages/99999999999999999999/",
            "/messages/1/restart/",
            "/users/1/",
            "//messages/1/",
            "https://evil.example/messages/1/",
            "/keys/a~00b/",
            "/keys/" + "x" * 400 + "/",
            "/keys/" + "ä" * 190 + "/",
        ],
    )
    def test_refuses_other_addresses(self, address):
        assert read_place(address) is None


class TestAddressOfPlace:
    def test_is_that_of_the_page(self):
        assert address_of_place("message-detail", -7) == "/messages/-7/"
        assert address_of_place("key", "A B/1") == "/keys/A%20B~2F1/"
