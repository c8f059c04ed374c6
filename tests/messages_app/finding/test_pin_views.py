import pytest

from messages_app.access.models import PersonSettings
from messages_app.messages.listing.models import SavedView
from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

PART = {"HX-Request": "true"}


def pins() -> list[str]:
    return PersonSettings.objects.get().pins


class TestPinning:
    def test_keeps_an_object_once_and_shows_it_in_the_menu(self):
        ada, message = client_of("support"), make_message()
        page = f"/messages/{message.pk}/"
        assert 'action="/me/pin/"' in text_of(ada.get(page))
        assert ada.post("/me/pin/", {"address": page}).url == page
        ada.post("/me/pin/", {"address": page})
        assert pins() == [page]
        assert 'action="/me/unpin/"' in text_of(ada.get(page))
        assert f'<span class="c-side-text">Message {message.pk}</span>' in text_of(ada.get("/me/"))
        assert 'id="menu-pinned"' not in text_of(client_of("support", username="eve").get("/me/"))

    def test_answers_with_the_button_and_the_menu(self):
        ada, message = client_of("support"), make_message()
        page = f"/messages/{message.pk}/"
        part = text_of(ada.post("/me/pin/", {"address": page}, headers=PART))
        assert 'action="/me/unpin/"' in part
        assert f'<span class="c-side-text">Message {message.pk}</span>' in part
        part = text_of(ada.post("/me/unpin/", {"address": page}, headers=PART))
        assert 'action="/me/pin/"' in part
        assert 'id="menu-pinned"' not in part

    def test_keeps_the_settings_and_the_settings_keep_the_pins(self):
        ada = client_of("support")
        form = {"times": "own", "time_zone": "Europe/Prague", "density": "compact", "start_page": "/"}
        ada.post("/me/", form)
        ada.post("/me/pin/", {"address": "/jobs/1/"})
        row = PersonSettings.objects.get()
        assert (row.time_zone, row.density, row.pins) == ("Europe/Prague", "compact", ["/jobs/1/"])
        ada.post("/me/", form | {"density": "comfortable"})
        assert pins() == ["/jobs/1/"]

    def test_ends_for_any_spelling_of_the_address(self):
        ada = client_of("support")
        for number in (1, 2):
            ada.post("/me/pin/", {"address": f"/messages/{number}/"})
        ada.post("/me/unpin/", {"address": "/messages/001/"})
        assert pins() == ["/messages/2/"]

    def test_stops_at_twenty(self):
        ada = client_of("support")
        pages = [f"/messages/{make_message().pk}/" for _ in range(21)]
        for page in pages:
            ada.post("/me/pin/", {"address": page})
        assert pins() == pages[:20]
        assert "You have 20 pins. Remove one first." in text_of(ada.get("/me/"))
        assert ada.post("/me/pin/", {"address": pages[20]}, headers=PART)["HX-Refresh"] == "true"

    def test_replaces_missing_objects(self):
        ada, page = client_of("support"), f"/messages/{make_message().pk}/"
        for address in (page, *(f"/jobs/{number}/" for number in range(1, 20)), "/services/crm/"):
            ada.post("/me/pin/", {"address": address})
        assert pins() == [page, "/services/crm/"]

    @pytest.mark.parametrize("how", ["pin", "unpin"])
    @pytest.mark.parametrize(
        "address", ["", "/messages/", "https://evil.example/", "//evil.example/", "x" * 401]
    )
    def test_takes_only_objects(self, how, address):
        response = client_of("support").post(f"/me/{how}/", {"address": address})
        assert response.status_code == 400
        assert "address must " in text_of(response)
        assert not PersonSettings.objects.exists()


class TestButton:
    def test_of_the_list_pins_its_saved_view(self):
        ada = client_of("support")
        ada.post("/messages/views/", {"name": "night", "query": "state=FAILED"})
        view = f"/messages/views/{SavedView.objects.get().pk}/"
        assert f'data-place="{view}"' in text_of(ada.get("/messages/?state=FAILED"))
        ada.post("/me/pin/", {"address": view})
        shown = text_of(ada.get("/messages/"))
        assert '<span class="c-side-text">night</span>' in shown
        assert "data-place=" not in shown
        assert ada.get(view).url == "/messages/?state=FAILED"
        assert client_of("support", username="eve").get(view).status_code == 404

    @pytest.mark.parametrize(
        "address", ["/messages/777/", "/keys/nobody/", "/services/nobody/", "/jobs/", "/"]
    )
    def test_is_missing_where_there_is_no_object(self, address):
        shown = text_of(client_of("support").get(address))
        assert 'action="/me/pin/"' not in shown
        assert "data-place=" not in shown


class TestPalette:
    def find(self, client, *recent):
        return text_of(client.get("/messages/find/part/", {"id": "", "recent": " ".join(recent)}))

    def test_shows_pinned_objects_and_then_recent_ones(self):
        ada = client_of("support")
        first, second = make_message().pk, make_message().pk
        ada.post("/me/pin/", {"address": f"/messages/{second}/"})
        shown = self.find(ada, *(f"/messages/{key}/" for key in (second, first)))
        texts = ["Pinned", f"Message {second}<", "Recent", f"Message {first}<"]
        order = [shown.index(text) for text in texts]
        assert order == sorted(order)
        # In the menu's words, not twice in the results.
        assert shown.count(texts[1]) == 1

    def test_needs_the_permission(self):
        asked = client_of(username="bob").get("/messages/find/part/", {"recent": "/jobs/1/"})
        assert asked.status_code == 403


class TestMenuGroups:
    def test_are_closed_as_they_were_left(self):
        ada = client_of("admin")
        shown = text_of(ada.get("/jobs/"))
        assert 'c-side-part is-closed" data-menu-part="Admin"' in shown
        assert shown.count("is-closed") == 1
        ada.cookies["menuClosed"] = "Stores.Operate"
        shown = text_of(ada.get("/jobs/"))
        assert shown.count("is-closed") == 1  # the group of the open page is open
        assert 'c-side-part is-closed" data-menu-part="Stores"' in shown
