"""The Django admin lists and opens every row that others write."""

import re
from html import unescape

import pytest
from django.contrib.admin import site
from django.test import Client
from django.urls import reverse

from messages_app.core.table_admin.model_admin import TableAdmin
from tests.hostile.test_every_address import admin, store_everything
from tests.support.parameters import quick_first

__all__ = ["admin"]

_ROW = re.compile(r'href="(/admin/[^"?]+/change/)')
_FILTER = re.compile(r'href="(\?[^"]+)"')


def _read(client: Client, address: str, wrong: list[str]) -> str:
    """Read a page; a message that is live and archived opens as the live one."""
    answer = client.get(address, follow=True)
    if answer.status_code != 200 or "/messages_app/" not in answer.request["PATH_INFO"]:
        wrong.append(f"{answer.status_code} {address}")
    return answer.content.decode()


@pytest.mark.parametrize("share", quick_first([10, 1]))
def test_every_list_filter_and_row_opens_next_to_hostile_rows(admin, share):
    store_everything()
    wrong: list[str] = []
    rows: set[str] = set()
    lists = 0
    for model in (model for model, shown in site._registry.items() if isinstance(shown, TableAdmin)):
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        first = _read(admin, address, wrong)
        for query in {"", *sorted(set(map(unescape, _FILTER.findall(first))))[::share]}:
            rows.update(map(unescape, _ROW.findall(_read(admin, address + query, wrong))))
            lists += 1
    for row in sorted(rows)[::share]:
        _read(admin, row, wrong)
    assert not wrong, "\n".join(wrong[:20])
    assert lists > 30
    assert len(rows) > 300
