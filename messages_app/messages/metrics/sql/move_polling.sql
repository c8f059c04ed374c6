-- Stores the position of a poll, unless another poll did so meanwhile. Transactions that have begun when this
-- statement runs may commit messages before the new mark.
UPDATE polling
   SET front = %(front)s,
       safe = %(safe)s,
       mark = %(mark)s,
       changed_at = %(changed_at)s,
       changed_id = %(changed_id)s,
       changed_safe = %(changed_safe)s,
       changed_mark = %(changed_mark)s,
       mark_xid = CASE WHEN %(is_marked)s THEN pg_snapshot_xmax(pg_current_snapshot())::text::bigint ELSE mark_xid END,
       watched = %(watched)s,
       swept = %(swept)s,
       swept_at = CASE WHEN %(is_swept)s THEN clock_timestamp() ELSE swept_at END,
       polled_at = clock_timestamp()
 WHERE polled_at IS NOT DISTINCT FROM %(polled_at)s
