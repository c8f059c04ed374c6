"""The page of the audit: who did what, when, why, and what was refused."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.audit import queries


@require_safe
def audit_list(request: HttpRequest) -> HttpResponse:
    page = queries.entry_page(cursor=request.GET.get("cursor"))
    return render(request, "messages_app/audit/list.html", {"page": page})
