import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from messages_app.jobs.kinds.registry import kind_specs, kinds_of
from messages_app.jobs.preview.quick import preview_job
from messages_app.jobs.stores import item_stores, store_of
from messages_app.jobs.stores.messages import ITEMS as MESSAGES
from messages_app.shared.job_states import StoreName
from tests.hubconsole.console import REPOSITORY
from tests.invented_store.job_items import ITEMS as THINGS
from tests.messages_app.jobs.kinds.invented import KIND, registered
from tests.messages_app.jobs.requested import request_of


def listed_in(source: str) -> Iterator[int]:
    """Yield the lines that list stores, or have something by store."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Set | ast.Tuple | ast.List):
            parts = node.elts
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.comprehension):
            parts = [node.iter]
        else:
            continue
        if any(ast.unparse(part).startswith("StoreName") for part in parts):
            yield node.lineno if hasattr(node, "lineno") else node.iter.lineno


@pytest.fixture
def invented(settings) -> Iterator[None]:
    """Register the invented store, and a kind of job that acts on its rows."""
    settings.STORES = [*settings.STORES, "tests.invented_store"]
    with registered(store=THINGS.name):
        yield


class TestStoreOf:
    def test_has_the_store_of_every_kind(self):
        stores = item_stores()
        assert [store_of(kind) for kind in kind_specs] == [stores[spec.store] for spec in kind_specs.values()]

    def test_treats_an_unknown_kind_as_one_of_messages(self):
        assert store_of("odd") is MESSAGES


class TestItemStores:
    def test_are_those_of_the_registrations(self, invented):
        assert list(item_stores()) == [*StoreName, "invented"]

    def test_have_the_kinds_that_name_them(self, invented):
        assert store_of(KIND) is THINGS
        assert kinds_of("invented") == (KIND,)

    def test_preview_jobs_in_their_own_way(self, invented):
        report = preview_job(request_of(KIND))
        assert report["to_do"] == 4711

    def test_are_listed_nowhere_else(self):
        paths = sorted((Path(REPOSITORY) / "messages_app").rglob("*.py"))
        texts = {path.name: text for path in paths if "StoreName" in (text := path.read_text("utf-8"))}
        found = {name: lines for name, text in texts.items() if (lines := list(listed_in(text)))}
        assert found == {}

    @pytest.mark.parametrize(
        "source",
        [
            "{StoreName.MESSAGES: 1, StoreName.MESSAGE_STORE: 2}",
            "(StoreName.MESSAGES, StoreName.MESSAGE_STORE)",
            "[store for store in StoreName]",
        ],
    )
    def test_that_are_listed_are_found(self, source):
        assert list(listed_in(source))
