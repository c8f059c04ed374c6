"""What a set of messages adds up to, for a preview: pure DataFrame to plain values."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_SAMPLES = 10
_MOST_GROUPS = 100  # of each kind of count: the largest ones

_COUNTED = {
    "by_state": "state",
    "by_service": "service_name",
    "by_error": "failed_error_code",
    "by_funnel": "funnel_component_id",
}


def summarise(messages: DataFrame) -> dict[str, object]:
    """
    Return what the set holds.

    Args:
        messages: as selection.with_reasons returns.

    Returns:
        `planned`; counts of messages `by_state`, `by_service`, `by_error`, `by_funnel` (the 100 largest of
        each, a missing value as an empty text); `skipped` by reason; `samples`, ten ids that would be done.
    """
    known = messages.localCheckpoint()
    doing = known.filter(F.col("reason").isNull())
    counts = {name: _counts(known, column) for name, column in _COUNTED.items()}
    return {
        "planned": known.count(),
        **counts,
        "skipped": _counts(known.filter(F.col("reason").isNotNull()), "reason"),
        "samples": [row.msg_id for row in doing.orderBy("msg_id").limit(_SAMPLES).collect()],
    }


def _counts(messages: DataFrame, column: str) -> dict[str, int]:
    grouped = messages.groupBy(F.coalesce(column, F.lit("")).alias("name")).count()
    largest = grouped.orderBy(F.desc("count"), "name").limit(_MOST_GROUPS)
    return {row["name"]: row["count"] for row in largest.collect()}
