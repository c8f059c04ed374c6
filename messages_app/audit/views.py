"""The page of the audit: who did what, when, why, and what was refused."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.audit import queries
from messages_app.audit.subjects import subjects_of
from messages_app.web.parameters import single_values


@require_safe
def audit_list(request: HttpRequest) -> HttpResponse:
    page = queries.entry_page(cursor=single_values(request.GET, ("cursor",)).get("cursor"))
    lines = [(entry, list(subjects_of(entry))) for entry in page.rows]
    return render(request, "messages_app/audit/list.html", {"page": page, "lines": lines})
