"""The pages about the source documents name all that those describe. The lists are written out here."""

import re

import pytest

from tests.docs.test_docs import ROOT

SEEDS = ROOT / "docs/contributing/seeds"
NAMES = {
    "cleverbus.md": """
        message msg_id msg_timestamp receive_timestamp service_name operation_name object_id entity_type
        correlation_id process_id payload envelope source_system state failed_count failed_error_code
        failed_desc last_process_timestamp custom_data parent_msg_id parent_binding_type funnel_value
        funnel_component_id
        guaranteed_order exclude_failed_state
        external_call call_id entity_id creation_timestamp last_update_timestamp
        request response req_id res_join_id uri req_envelope req_timestamp
        res_id res_envelope failed_reason res_timestamp failed
        archive_records archive_message archive_external_call archive_request archive_response
    """,
    "webmethods.md": "trigger_id document_uuid status time use_history resolver history_ttl_seconds",
    "metrici.md": """
        message_identifier source_system source_entity message_timestamp effective_timestamp user_name refresh
        options data file_path status processed_timestamp next_attempt_timestamp error_message log_text
    """,
    "enaio.md": """
        oscpmqueue messageguid queuename osid ostype created lock_service checkguid
        std.CreateCPMessages std.GetNextCPMessage std.DispatchCPMessage std.ResetServiceCPMessages
        std.GetCPObjectInfo std.GetCPObjectIdxFulltext std.CPRenditionChanged
        std.GetCPMessageStatistics std.GetCPObjectFulltext std.ProcessPageCountCPMessages std.ResetCPMessage
        std.ResetSelectiveCPMessages std.CopyInWork std.DeleteInWork std.SetArchivableFlag std.StoreInArchive
        std.DeleteFulltext std.CalcDocumentMimeType std.ConfigMedienExt std.CopyRemark
        std.DirectTransformObject std.GetDocSize std.GetDocumentRetentions std.GetDocumentsForAxachash
        std.GetMediumSizes
        std.GetMigrationObjectInfo std.GetNextInteger std.GetVarcInformation
    """,
}
WORDS = {
    "cleverbus.md": [
        *("NEW", "PROCESSING", "OK", "PARTLY_FAILED", "FAILED", "WAITING", "WAITING_FOR_RES", "CANCEL"),
        *("POSTPONED", "FAILED_END", "HARD", "SOFT", "funnel", "trace header", "## Backups"),
    ],
    "webmethods.md": [
        "New",
        "Duplicate",
        "In Doubt",
        "96 characters",
        "journal",
        "JDBC",
        "Documents without UUIDs",
    ],
    "metrici.md": [
        "0 not processed",
        "2 requires reprocessing",
        "10 processed successfully",
        "21 message not found",
    ],
    "enaio.md": [
        *("FULLTEXTIDX", "FULLTEXTDOC", "FULLTEXTFILTER", "FULLTEXTLOCATION", "FULLTEXTDELETE"),
        *("RENDITION", "RENRESET", "PAGECOUNT", "Work, Cache and Archive", "MAX(created)"),
    ],
}


@pytest.mark.parametrize("page", NAMES)
def test_a_page_names_everything_in_its_document(page):
    text = (SEEDS / page).read_text(encoding="utf-8")
    told = {word for code in re.findall(r"`([^`]+)`", text) for word in re.split(r"[\s,]+", code)}
    assert [name for name in NAMES[page].split() if name not in told] == []
    assert [word for word in WORDS[page] if word not in text] == []


@pytest.mark.parametrize("page", NAMES)
def test_a_page_is_linked_from_the_index_for_developers(page):
    assert f"(seeds/{page})" in (SEEDS.parent / "README.md").read_text(encoding="utf-8")
    assert f"({page})" in (SEEDS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "subject"),
    [
        ("cleverbus.md", "`envelope`"),
        ("cleverbus.md", "`res_join_id`"),
        ("cleverbus.md", "`res_timestamp`"),
        ("cleverbus.md", "unique key `uri`, `res_join_id`"),
        ("cleverbus.md", "`parent_binding_type`"),
        ("cleverbus.md", "CANCEL"),
        ("cleverbus.md", "of two messages for one object, the first is skipped"),
        ("cleverbus.md", "procedure `archive_records`"),
        ("metrici.md", "`message_identifier`"),
        ("metrici.md", "21 message not found"),
    ],
)
def test_a_page_marks_its_differences_from_the_document(page, subject):
    text = (SEEDS / page).read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith(f"| {subject} |")]
    assert any("**differs**" in row.lower() for row in rows), rows
