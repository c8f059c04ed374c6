"""How far a look goes, and looks at one index whatever the planner believes about a value."""

from django.db.models import QuerySet

# Beyond so many a place in a line is only "more than".
LINE_LOOKED_AT = 200


def along(rows: QuerySet, column: str, value: object, *, then: str) -> QuerySet:
    """
    Return the rows with `value` in `column`, ordered by `then` (from the end with a minus).

    Asked for as a range, so that the order begins with `column`: only an index on (column, then) has that.
    By equality the planner may walk the primary key, hoping to meet one of many such rows soon, and read
    millions when all of them are at the other end.
    """
    sign, name = ("-", then[1:]) if then.startswith("-") else ("", then)
    found = rows.filter(**{f"{column}__gte": value, f"{column}__lte": value})
    return found.order_by(f"{sign}{column}", f"{sign}{name}")
