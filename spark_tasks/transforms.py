"""Pure functions from DataFrame to DataFrame, which use no session setting, file, clock or database."""

from collections.abc import Collection

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from messages_app.shared.job_states import SkipReason

# Each round doubles the height that is covered, so a chain of four thousand generations ends within these
# rounds.
_MAX_ROUNDS = 12


def find_family_roots(links: DataFrame) -> DataFrame:
    """
    Find the head of every family.

    Args:
        links: one row per message that names a parent: msg_id, parent_msg_id (long, not null).

    Returns:
        One row per message of a family of at least two, parents included: msg_id, root_msg_id. root_msg_id is
        null if the parent links form a cycle.
    """
    climbing = links.select("msg_id", F.col("parent_msg_id").alias("ancestor")).localCheckpoint()
    for _ in range(_MAX_ROUNDS):
        higher = climbing.select(F.col("msg_id").alias("ancestor"), F.col("ancestor").alias("next_ancestor"))
        climbed = climbing.join(higher, on="ancestor", how="left").select(
            "msg_id", F.coalesce("next_ancestor", "ancestor").alias("ancestor"), "next_ancestor"
        )
        climbed = climbed.localCheckpoint()
        if climbed.filter(F.col("next_ancestor").isNotNull()).isEmpty():
            break
        climbing = climbed.select("msg_id", "ancestor")
    return _add_heads(climbed)


def _add_heads(climbed: DataFrame) -> DataFrame:
    """Add the heads themselves, and clear the root of messages that never reached one."""
    is_at_head = F.col("next_ancestor").isNull()
    members = climbed.select("msg_id", F.when(is_at_head, F.col("ancestor")).alias("root_msg_id"))
    heads = members.filter(F.col("root_msg_id").isNotNull()).select(
        F.col("root_msg_id").alias("msg_id"), "root_msg_id"
    )
    return members.unionByName(heads.distinct())


def find_outsiders(finals: DataFrame, roots: DataFrame) -> DataFrame:
    """
    Find the members of families that are not in the set, and may prevent the family from moving.

    Args:
        finals: one row per message of the set: msg_id.
        roots: as find_family_roots returns.

    Returns:
        One row per member outside the set, of families with a member inside it: msg_id, root_msg_id.
    """
    chosen = finals.select("msg_id").join(roots, on="msg_id", how="inner").select("root_msg_id").distinct()
    touched = roots.filter(F.col("root_msg_id").isNotNull()).join(chosen, on="root_msg_id", how="left_semi")
    return touched.join(finals.select("msg_id"), on="msg_id", how="left_anti").select("msg_id", "root_msg_id")


def decide_families(outsider_states: DataFrame, *, final_states: Collection[str]) -> DataFrame:
    """
    Decide which families stay, and why.

    Args:
        outsider_states: one row per live member outside the set: msg_id, root_msg_id, state.
        final_states: the states of finished messages.

    Returns:
        One row per family that stays: root_msg_id, reason (a SkipReason).
    """
    is_final = F.col("state").isin(sorted(final_states))
    too_young = F.lit(str(SkipReason.FAMILY_TOO_YOUNG))
    not_final = F.lit(str(SkipReason.FAMILY_NOT_FINAL))
    reason = F.when(F.bool_and(is_final), too_young).otherwise(not_final)
    return outsider_states.groupBy("root_msg_id").agg(reason.alias("reason"))


def join_items(finals: DataFrame, roots: DataFrame, verdicts: DataFrame) -> DataFrame:
    """
    Join the set with its families and their verdicts.

    Args:
        finals: one row per message of the set: msg_id, state.
        roots: as find_family_roots returns.
        verdicts: as decide_families returns.

    Returns:
        One row per message of the set: msg_id, root_msg_id (its own id without a family), state, reason
        (null: to be moved).
    """
    members = roots.withColumn("in_family", F.lit(True))
    placed = finals.join(members, on="msg_id", how="left")
    in_circle = F.col("in_family").isNotNull() & F.col("root_msg_id").isNull()
    placed = placed.withColumn("in_circle", in_circle).withColumn(
        "root_msg_id", F.coalesce("root_msg_id", "msg_id")
    )
    reason = F.when(F.col("in_circle"), F.lit(str(SkipReason.PARENT_CYCLE))).otherwise(F.col("reason"))
    return placed.join(verdicts, on="root_msg_id", how="left").select(
        "msg_id", "root_msg_id", "state", reason.alias("reason")
    )


def sum_counts(counts: DataFrame) -> DataFrame:
    """
    Add up counts of the same key.

    Args:
        counts: any number of rows by minute and the other columns of the key, with `present` and `entered`,
            or `messages` (long).

    Returns:
        One row for each of these keys, in that order of columns.
    """
    numbers = [name for name in ("present", "entered", "messages") if name in counts.columns]
    keys = [name for name in counts.columns if name not in numbers]
    return counts.groupBy(*keys).agg(*(F.sum(name).alias(name) for name in numbers))
