import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection

from messages_app.access.backends import user_with_rights
from messages_app.access.person.services import pin_place
from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.finding.recent_places import describe_places, find_places, list_pins
from messages_app.incidents.models import Incident
from messages_app.jobs.models import Job
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.listing.models import SavedView
from tests.support.factories import NOON, make_archived_message, make_message, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return user_with_rights(make_user("support").pk)


def make_job() -> Job:
    return Job.objects.create(kind="restart", state="done", reason="x", created_by="ada")


def pin(user: User, *addresses: str) -> None:
    for address in addresses:
        pin_place(user=user, address=address)


def make_key(value: str, *, sensitive: bool = False) -> str:
    definition = KeyDefinition.objects.create(
        service_name="billing", operation_name="", name="order", path="/o", sensitive=sensitive
    )
    message = make_message()
    BusinessKey.objects.create(
        definition_id=definition.pk, value=value, msg_id=message.pk, receive_timestamp=NOON
    )
    return f"/keys/{value}/"


def names_of(user: User) -> list[str]:
    return [name for _, name in list_pins(user)]


class TestListPins:
    def test_names_objects_in_the_order_of_the_pins(self, ada):
        message, archived = make_message(), make_archived_message()
        incident = Incident.objects.create(title="Bank refuses", began_at=NOON, last_failure_at=NOON)
        seen = {"first_seen": NOON, "last_seen": NOON, "service_name": "billing", "operation_name": "x"}
        group, job = FailureGroup.objects.create(summary="Customer is unknown", **seen), make_job()
        view = SavedView.objects.create(owner=ada, name="night", query="state=FAILED")
        pin(
            ada,
            f"/jobs/{job.pk}/",
            f"/messages/{archived.pk}/",
            f"/incidents/{incident.pk}/",
            f"/messages/{message.pk}/",
            f"/failures/{group.pk}/",
            f"/messages/views/{view.pk}/",
            make_key("N004711"),
            "/services/crm/",
        )
        assert names_of(ada) == [
            f"Job {job.pk}: Restart",
            f"Message {archived.pk}",
            "Bank refuses",
            f"Message {message.pk}",
            "Customer is unknown",
            "night",
            "order N004711",
            "Service crm",
        ]

    def test_leaves_out_missing_objects(self, ada):
        pin(
            ada, "/messages/1/", "/incidents/1/", "/failures/1/", "/jobs/1/", "/messages/views/1/", "/keys/a/"
        )
        assert names_of(ada) == []

    def test_leaves_out_what_the_user_may_not_open(self, ada):
        job, eve = make_job(), make_user(username="eve")
        own = SavedView.objects.create(owner=eve, name="of eve", query="state=FAILED")
        pin(ada, f"/messages/views/{own.pk}/", make_key("N004711", sensitive=True), f"/jobs/{job.pk}/")
        assert names_of(ada) == [f"Job {job.pk}: Restart"]
        ada._perm_cache = set()
        assert names_of(ada) == []
        SavedView.objects.update(shared=True)
        ada._perm_cache = {"messages_app.view_message", "messages_app.view_payload"}
        assert names_of(ada) == ["of eve", "order N004711"]

    @pytest.mark.django_db(transaction=True)
    def test_is_empty_while_the_hub_holds_its_table(self, ada):
        pin(ada, f"/messages/{make_message().pk}/")
        with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as hub:
            hub.execute("LOCK TABLE message IN ACCESS EXCLUSIVE MODE")
            assert names_of(ada) == []
            with pytest.raises(OperationalError):
                describe_places(["/messages/1/"], ada)
            hub.rollback()
        assert len(names_of(ada)) == 1

    def test_asks_nothing_without_pins(self, ada, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert list_pins(ada) == []


class TestFindPlaces:
    def test_yields_recent_objects_that_are_not_pinned(self, ada):
        first, second = make_message().pk, make_message().pk
        pin(ada, f"/messages/{second}/")
        kinds = list(find_places([f"/messages/{first}/", f"/messages/{second}/", "/messages/777/"], ada))
        assert [(kind.title, [hit.name for hit in kind.hits]) for kind in kinds] == [
            ("Pinned", [f"Message {second}"]),
            ("Recent", [f"Message {first}"]),
        ]

    def test_needs_few_statements(self, ada, django_assert_max_num_queries):
        recent = [f"/messages/{make_message().pk}/" for _ in range(20)]
        with django_assert_max_num_queries(6):
            assert len(next(find_places(recent, ada)).hits) == 20
