import json
import os
import threading
from pathlib import Path

import pytest
from django.db import connection

from messages_app.messages.importers import storage
from messages_app.messages.importers.storage import LoadReport, PathMissing, load_paths
from messages_app.messages.models import Message
from tests.messages_app.messages.importers.test_json_lines import LEAST
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db

DOCUMENTS = Path(__file__).parents[3] / "documents"
PEPPOL = Path(__file__).parents[5] / "shared" / "data" / "peppol"


def load(*paths: Path) -> tuple[LoadReport, list[str]]:
    refusals: list[str] = []
    report = load_paths(paths=paths, on_refused=refusals.append)
    assert report.refused == len(refusals)
    return report, refusals


def write_lines(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(LEAST | row) + "\n" for row in rows))
    return path


class TestLoadPaths:
    def test_loads_a_folder_independent_of_the_order_of_its_files(self):
        report, refusals = load(DOCUMENTS)
        assert (report.loaded, refusals) == (9, [])
        order = Message.objects.get(operation_name="Order")
        children = Message.objects.filter(parent_msg_id=order.msg_id)
        assert set(children.values_list("object_id", "parent_binding_type")) == {
            ("CH-1", "HARD"),
            ("CA-1", "HARD"),
            ("RE-1", "SOFT"),
            ("DA-9", "SOFT"),
            ("INV-5", "SOFT"),
        }
        assert set(children.values_list("process_id", flat=True)) == {order.process_id}

    def test_makes_the_answered_document_the_parent(self):
        load(DOCUMENTS)
        invoice = Message.objects.get(object_id="INV-5")
        answer = Message.objects.get(object_id="IR-2")
        assert answer.parent_msg_id == invoice.msg_id
        assert answer.process_id == invoice.process_id

    def test_finds_a_parent_from_an_earlier_load(self):
        load(DOCUMENTS / "z_order.xml")
        load(DOCUMENTS / "order_response.xml")
        order, response = Message.objects.order_by("msg_id")
        assert response.parent_msg_id == order.msg_id

    def test_rejects_documents_from_an_earlier_load(self):
        load(DOCUMENTS)
        report, refusals = load(DOCUMENTS)
        assert (report.loaded, report.refused) == (0, 9)
        assert all("repeats the correlation id" in line for line in refusals)

    def test_rejects_a_second_copy_in_the_same_load(self, tmp_path):
        copy = tmp_path / "copy.xml"
        copy.write_bytes((DOCUMENTS / "z_order.xml").read_bytes())
        report, refusals = load(DOCUMENTS / "z_order.xml", copy)
        assert report.loaded == 1
        assert refusals[0].startswith(f"{copy}: repeats the correlation id 'Order:PO-77:")

    def test_names_each_bad_file_in_one_line_and_loads_the_others(self, tmp_path):
        (tmp_path / "cut.xml").write_bytes((DOCUMENTS / "z_order.xml").read_bytes()[:-30])
        (tmp_path / "dtd.xml").write_text("<!DOCTYPE a><a/>")
        (tmp_path / "good.xml").write_bytes((DOCUMENTS / "z_order.xml").read_bytes())
        (tmp_path / "text.xml").write_text("hello\nworld")
        (tmp_path / "readme.txt").write_text("not loaded")
        report, refusals = load(tmp_path)
        assert report.loaded == 1
        assert [Path(line.partition(":")[0]).name for line in refusals] == [
            "cut.xml",
            "dtd.xml",
            "text.xml",
        ]
        assert not any("\n" in line for line in refusals)

    def test_reads_a_file_with_another_suffix_as_a_document(self, tmp_path):
        path = tmp_path / "notes.txt"
        path.write_text("hello")
        assert load(path)[1][0].startswith(f"{path}: not well-formed XML")

    def test_rejects_a_huge_file_without_reading_it(self, tmp_path):
        path = tmp_path / "huge.xml"
        with path.open("wb") as file:
            file.truncate(100 * 1024 * 1024)
        report, refusals = load(path)
        assert report.loaded == 0
        assert "104857600 bytes, 20971520 is the limit" in refusals[0]

    def test_does_not_wait_for_a_pipe(self, tmp_path):
        path = tmp_path / "pipe.xml"
        os.mkfifo(path)
        assert load(tmp_path)[1] == [f"{path}: not a regular file."]

    def test_reports_a_folder_without_files_to_load(self, tmp_path):
        report, refusals = load(tmp_path)
        assert (report.loaded, report.refused) == (0, 1)
        assert "no .xml, .jsonl or .ndjson file" in refusals[0]

    def test_loads_nested_folders(self, tmp_path):
        deep = tmp_path / "2024" / "03"
        deep.mkdir(parents=True)
        for name in ("invoice.xml", "order_change.xml"):
            (deep / name).write_bytes((DOCUMENTS / name).read_bytes())
        (tmp_path / "z_order.xml").write_bytes((DOCUMENTS / "z_order.xml").read_bytes())
        report, refusals = load(tmp_path)
        assert (report.loaded, refusals) == (3, [])
        assert Message.objects.exclude(parent_msg_id=None).count() == 2

    def test_two_invoices_without_an_order_number_do_not_share_a_process(self, tmp_path):
        text = (DOCUMENTS / "invoice.xml").read_text().replace("PO-77", "NA")
        for name in ("INV-NA-1", "INV-NA-2"):
            (tmp_path / f"{name}.xml").write_text(text.replace("INV-5", name))
        assert load(tmp_path)[0].loaded == 2
        processes = list(Message.objects.order_by("object_id").values_list("process_id", flat=True))
        assert processes == [
            "4000002000002-4000001000005-INV-NA-1",
            "4000002000002-4000001000005-INV-NA-2",
        ]

    def test_names_the_file_and_the_field_of_an_id_that_is_too_long(self, tmp_path):
        path = tmp_path / "long.xml"
        path.write_text((DOCUMENTS / "invoice.xml").read_text().replace("INV-5", "9" * 300))
        assert load(tmp_path)[1] == [f"{path}: ID is 300 characters long, 100 is the limit."]

    def test_loads_nothing_if_a_path_is_missing(self, tmp_path):
        with pytest.raises(PathMissing, match="nowhere"):
            load(DOCUMENTS, tmp_path / "nowhere")
        assert not Message.objects.exists()

    def test_loads_lines_and_names_the_bad_ones(self, tmp_path):
        path = write_lines(
            tmp_path / "a.jsonl", {"state": "OK"}, {"colour": 1}, {}, {"correlation_id": "c-2"}
        )
        report, refusals = load(path)
        assert report.loaded == 2
        assert refusals[0] == f"{path}, line 2: 'colour' is not a column of message."
        assert refusals[1].startswith(f"{path}, line 3: repeats the correlation id 'c-1' of CRM")

    def test_accepts_the_same_correlation_id_from_two_systems(self, tmp_path):
        path = write_lines(tmp_path / "a.ndjson", {}, {"source_system": "ERP"})
        assert load(path)[0].loaded == 2

    def test_accepts_a_correlation_id_that_is_only_archived(self, tmp_path):
        make_archived_message(correlation_id="c-1", source_system="CRM")
        assert load(write_lines(tmp_path / "a.jsonl", {}))[0].loaded == 1

    def test_uses_a_given_id_and_advances_the_sequence_past_it(self, tmp_path):
        given = 10_000_000
        load(write_lines(tmp_path / "a.jsonl", {"msg_id": given}, {"correlation_id": "c-2"}))
        assert list(Message.objects.order_by("msg_id").values_list("msg_id", flat=True)) == [
            given,
            given + 1,
        ]

    @pytest.mark.parametrize("make", [make_message, make_archived_message])
    def test_rejects_a_given_id_that_is_taken(self, tmp_path, make):
        taken = make().msg_id
        report, refusals = load(write_lines(tmp_path / "a.jsonl", {"msg_id": taken}))
        assert report.loaded == 0
        assert f"msg_id {taken} is there already" in refusals[0]

    def test_loads_more_lines_than_fit_into_one_transaction(self, tmp_path):
        path = write_lines(tmp_path / "a.jsonl", *({"correlation_id": f"c-{n}"} for n in range(450)))
        assert load(path)[0].loaded == 450


@pytest.mark.django_db(transaction=True)
class TestConcurrentLoads:
    def test_load_each_document_exactly_once(self):
        reports: list[LoadReport] = []

        def run() -> None:
            try:
                reports.append(load_paths(paths=[DOCUMENTS], on_refused=lambda line: None))
            finally:
                connection.close()

        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert sum(report.loaded for report in reports) == 9
        assert sum(report.refused for report in reports) == 9
        assert Message.objects.count() == 9


def test_the_limit_of_a_document_is_the_documented_one():
    assert storage.MAX_DOCUMENT_BYTES == 20 * 1024 * 1024


# The real documents lie next to a checkout for development; the product does not ship them.
if PEPPOL.exists():

    class TestLoadPathsOfRealDocuments:
        def test_loads_the_real_documents(self):
            report, refusals = load(PEPPOL)
            assert report.loaded == 58
            assert "T111-uc006b" in refusals[0]
            order = Message.objects.get(object_id="Order-1", operation_name="Order")
            family = Message.objects.filter(process_id=order.process_id)
            assert set(family.exclude(pk=order.pk).values_list("parent_msg_id", flat=True)) == {order.msg_id}
            assert {"OrderChange", "OrderResponse", "OrderCancellation"} < set(
                family.values_list("operation_name", flat=True)
            )
