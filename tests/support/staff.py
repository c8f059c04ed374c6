"""Users who may enter the admin."""

from django.db import connection
from django.db.models import Model
from django.test import Client
from lxml import html

from messages_app.cp_queue.models import CpMessage
from messages_app.document_history.models import HistoryLine
from messages_app.message_store.models import MessageStore
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
)
from tests.support import queues, stores
from tests.support.factories import (
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_request,
    make_response,
    make_user,
)
from tests.support.histories import make_trigger, store_both
from tests.support.page_outlines import outline_of
from tests.support.plans import faults_in, reads_of

HUB = "/admin/messages_app/"


def staff_client(*roles: str, username: str = "ada", **columns: object) -> Client:
    """Return a client of a staff user with these roles."""
    client = Client()
    client.force_login(make_user(*roles, username=username, is_staff=True, **columns))
    return client


def listed_keys(client: Client, address: str) -> list[str]:
    """Return the keys of the rows on a page of a changelist, in its order."""
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code, response.content[:800])
    return [str(row.pk) for row in response.context["cl"].result_list]


def faults_of_page(client: Client, address: str) -> list[tuple[str, str]]:
    """Return what is wrong with the plans of what a page of the admin reads."""
    sent: list[tuple[str, tuple]] = []
    with connection.execute_wrapper(reads_of(sent)):
        response = client.get(address)
    assert response.status_code == 200, (address, response.status_code, response.content[:500])
    return faults_in(sent)


def rows_of_hub() -> list[Model]:
    """Store a row of each table of the hub that the admin shows, and return them."""
    message = make_message(state="FAILED", failed_desc="E103: refused")
    make_message(parent_msg_id=message.pk)
    request = make_request(message)
    call, response = make_external_call(message), make_response(request)
    funnel, archived = make_funnel(message, funnel_value="hot"), make_archived_message()
    copies = [
        _archive(ArchiveExternalCall, call, archived),
        _archive(ArchiveRequest, request, archived),
        _archive(ArchiveResponse, response, archived),
        _archive(ArchiveFunnel, funnel, archived),
    ]
    make_trigger()
    store_both()
    stores.define()
    stored = MessageStore.objects.get(pk=stores.store())
    queued = CpMessage.objects.get(pk=queues.store("one"))
    document = HistoryLine.objects.get()
    return [message, call, request, response, funnel, archived, *copies, stored, queued, document]


def _archive(table: type[Model], row: Model, message: ArchiveMessage) -> Model:
    columns = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    return table._default_manager.create(**columns | {"msg_id": message.pk})


def lines_of_list(client: Client, address: str) -> list[dict[str, str]]:
    """Return the rows of a changelist: the text below each heading, with the addresses of links."""
    (table,) = _read_page(client, address).xpath("//table[@id='result_list']")
    return _lines_of_table(table)


def lines_of_page(client: Client, address: str) -> dict[str, str]:
    """Return the fields of a row's page: the text behind each label, with the addresses of links."""
    rows = _read_page(client, address).xpath("//fieldset//div[label and .//*[contains(@class, 'readonly')]]")
    return {
        _text_of(row.xpath("label")[0]).rstrip(":"): _text_of(
            row.xpath(".//*[contains(@class, 'readonly')]")[0]
        )
        for row in rows
    }


def related_lines(client: Client, address: str) -> dict[str, list[dict[str, str]]]:
    """Return the rows of each table below the fields of a row's page."""
    tables = _read_page(client, address).xpath("//main//table[caption]")
    return {_text_of(table.xpath("caption")[0]): _lines_of_table(table) for table in tables}


def _read_page(client: Client, address: str) -> html.HtmlElement:
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code, response.content[:800])
    return html.fromstring(response.content.decode())


def _lines_of_table(table: html.HtmlElement) -> list[dict[str, str]]:
    chosen = "[not(contains(@class, 'action-checkbox'))]"
    cells = [(cell.xpath("div[@class='text']") or [cell])[0] for cell in table.xpath(f"thead//th{chosen}")]
    headings = [" ".join(cell.text_content().split()) for cell in cells]
    rows = [[_text_of(cell) for cell in row.xpath(f"(th | td){chosen}")] for row in table.xpath("tbody/tr")]
    return [dict(zip(headings, row, strict=True)) for row in rows if headings]


def _text_of(element: html.HtmlElement) -> str:
    """Return a text as outlines of pages have it, with the text of each image."""
    return " ".join([*outline_of(element), *element.xpath(".//img/@alt")])
