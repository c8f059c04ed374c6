from pathlib import Path

import pytest
from django.conf import settings
from django.test import RequestFactory

from messages_app.core.badges import Badge, Tone
from messages_app.core.store_pages import StorePages
from messages_app.cp_queue.states import OUTCOMES, STANDINGS, STATES
from messages_app.document_history.states import DOUBTS, PAIRS, VERDICTS
from tests.support.factories import make_user

TITLES = {"cp-queues": "Queues", "cp-create": "Create"}
CAN_STEER = "messages_app.steer_cp_messages"
BADGES = [
    badge for badges in (STATES, OUTCOMES, STANDINGS, DOUBTS, PAIRS, VERDICTS) for badge in badges.values()
]


def pages(tmp_path: Path, **options: object) -> StorePages:
    """Return pages whose template shows its context."""
    folder = tmp_path / "messages_app/invented"
    folder.mkdir(parents=True)
    (folder / "page.html").write_text(
        "{% for one in sections %}{{ one.text }} {{ one.query }} {{ one.is_on }}\n{% endfor %}"
        "home {{ home }}, may act {{ may_act }}, most {{ most }}"
    )
    return StorePages(folder="invented", **({"sections": TITLES} | options))


@pytest.mark.django_db
class TestStorePages:
    @pytest.fixture(autouse=True)
    def _template(self, settings, tmp_path):
        settings.TEMPLATES = [
            {"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [tmp_path]}
        ]

    def shown(self, tmp_path: Path, role: str, context: dict[str, object], **options: object) -> str:
        request = RequestFactory().get("/cp-queue/")
        request.user = make_user(role)
        answer = pages(tmp_path, **options).render_page(
            request, "page", context, section="cp-queues", status=409
        )
        assert answer.status_code == 409
        return answer.content.decode()

    def test_name_their_sections_and_the_first_of_them(self, tmp_path):
        shown = self.shown(tmp_path, "support", {}, queries={"cp-create": "?object_id=1"})
        assert "Queues /cp-queue/ True\nCreate /cp-queue/create/?object_id=1 False\nhome /cp-queue/" in shown

    def test_may_have_no_sections(self, tmp_path):
        assert self.shown(tmp_path, "support", {}, sections={}).startswith("home , may act")

    @pytest.mark.parametrize(("role", "is_there"), [("support", False), ("operator", True)])
    def test_hide_a_section_from_users_who_may_not_use_it(self, tmp_path, role, is_there):
        assert ("Create" in self.shown(tmp_path, role, {}, restricted={"cp-create": CAN_STEER})) is is_there

    @pytest.mark.parametrize(("role", "may_act"), [("support", "False"), ("operator", "True")])
    def test_give_templates_the_permissions_of_the_user(self, tmp_path, role, may_act):
        assert f"may act {may_act}," in self.shown(tmp_path, role, {}, rights={"may_act": CAN_STEER})

    def test_let_a_page_replace_what_all_of_them_share(self, tmp_path):
        shared = {"shared": {"most": 5}, "rights": {"may_act": CAN_STEER}}
        shown = self.shown(tmp_path, "operator", {"most": 7, "may_act": "no"}, **shared)
        assert "may act no, most 7" in shown


class TestBadges:
    @pytest.mark.parametrize("badge", BADGES)
    def test_have_a_colour_and_an_icon_that_exist(self, badge: Badge):
        tokens = Path(settings.BASE_DIR, "static/css/tokens.css").read_text("utf-8")
        icons = Path(settings.BASE_DIR, "static/icons/icons.svg").read_text("utf-8")
        assert badge.tone == Tone.NONE or f'[data-state="{badge.tone}"]' in tokens
        assert f'id="{badge.icon}"' in icons
