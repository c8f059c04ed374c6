import dataclasses

import pytest

from messages_app.jobs.kinds import registry
from messages_app.jobs.permissions import shown_options
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

CORRECTION = {"find": "secret", "replace": "", "path": None, "cancel_original": True, "rate": 5}
MASKED = {"find": "•••", "replace": "", "path": None, "cancel_original": True, "rate": 5}


class TestShownOptions:
    def test_masks_what_the_kind_declares(self):
        assert shown_options("resend", CORRECTION, make_user("operator")) == MASKED
        assert shown_options("resend", CORRECTION, None) == MASKED

    def test_shows_all_to_users_who_see_payloads(self):
        assert shown_options("resend", CORRECTION, make_user("view_payload")) == CORRECTION

    def test_masks_no_option_of_another_kind_with_the_same_name(self, monkeypatch):
        finds = dataclasses.replace(registry.CANCEL, options={"find": registry.CORRECTIONS["find"]})
        monkeypatch.setitem(registry.kind_specs, "cancel", finds)
        assert shown_options("cancel", {"find": "E101"}, None) == {"find": "E101"}

    @pytest.mark.parametrize("kind", ["resend", "restart", "kind_of_another_release"])
    def test_masks_texts_that_the_kind_does_not_know(self, kind):
        odd = {"text": "secret", "texts": ["secret"], "object": {"a": "secret"}, "number": 5, "flag": True}
        assert shown_options(kind, odd, None) == {
            "text": "•••", "texts": "•••", "object": "•••", "number": 5, "flag": True
        }  # fmt: skip
