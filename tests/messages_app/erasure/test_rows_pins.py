import pytest

from messages_app.access.models import PersonSettings
from messages_app.access.person.services import pin_place
from messages_app.audit.services import SYSTEM
from messages_app.erasure.keys import Key
from messages_app.erasure.services import erase_subject, would_erase
from tests.support.factories import make_archived_message, make_message, make_user

pytestmark = pytest.mark.django_db


def pins_of(user) -> list[str]:
    return PersonSettings.objects.get(user=user).pins


class TestPins:
    def test_of_the_key_and_of_its_messages_are_removed(self):
        ada, bob = make_user("support"), make_user("support", username="bob")
        live, archived, other = (
            make_message(object_id="N004711", state="OK"),
            make_archived_message(object_id="N004711"),
            make_message(object_id="N0047112"),
        )
        pages = [f"/messages/{message.pk}/" for message in (live, other, archived)]
        for address in ("/keys/N004711/", "/keys/N0047112/", *pages):
            pin_place(user=ada, address=address)
        pin_place(user=bob, address=pages[0])
        assert would_erase(key=Key("N004711"), actor=SYSTEM).rows["person_settings"] == 2
        assert len(pins_of(ada)) == 5
        erased = erase_subject(key=Key("N004711"), actor=SYSTEM, reason="asked for")
        assert pins_of(ada) == ["/keys/N0047112/", pages[1]]
        assert pins_of(bob) == []
        assert erased.rows["person_settings"] == 2
        assert not erased.again
