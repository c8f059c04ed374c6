"""The deployments as a list, newest first, and those in a range of time."""

from collections.abc import Sequence
from datetime import datetime

from messages_app.core.filters.table import (
    Values,
    filters_by_name,
    make_lookups,
    text_filter,
    time_range,
    write_values,
)
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page
from messages_app.incidents.deployments.models import MAX_SERVICE, MAX_VERSION, Deployment

DEPLOYMENTS = filters_by_name(
    text_filter("service_name", MAX_SERVICE, lookup=""),
    text_filter("version", MAX_VERSION),
    *time_range("at"),
)

_NEWEST_FIRST = Order(column="at", key="deployment_id", descending=True)


def deployment_page(
    *, values: Values, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE
) -> Page[Deployment]:
    """
    Return one page of the list.

    Args:
        values: of DEPLOYMENTS.

    Raises:
        Problem: 400, the cursor is of another list.
    """
    lookups = make_lookups(DEPLOYMENTS, values)
    rows = Deployment.objects.filter(**lookups)
    service = values.get("service_name")
    branch = Branch(
        rows=rows,
        constant=("service_name", service) if service else None,
        # Few rows may have the version.
        scan=Deployment.objects.all() if "version" in values else None,
    )
    scope = str(write_values(DEPLOYMENTS, values))
    return fetch_page([branch], order=_NEWEST_FIRST, cursor=cursor, page_size=page_size, scope=scope)


def deployments_between(start: datetime, stop: datetime, *, most: int) -> Sequence[Deployment]:
    """Return the newest `most` deployments of a range of time, newest first."""
    rows = Deployment.objects.filter(at__gte=start, at__lte=stop)
    return list(rows.order_by("-at", "-deployment_id")[:most])
