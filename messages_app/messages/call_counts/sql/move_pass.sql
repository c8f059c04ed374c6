-- Stores the position of a pass, unless another one did so meanwhile. Transactions that have begun when this statement
-- runs may commit calls before the new marks.
UPDATE call_pass
   SET front = %(front)s,
       safe = %(safe)s,
       mark = %(mark)s,
       event_front = %(event_front)s,
       event_safe = %(event_safe)s,
       event_mark = %(event_mark)s,
       mark_xid = CASE WHEN %(is_marked)s THEN pg_snapshot_xmax(pg_current_snapshot())::text::bigint ELSE mark_xid END,
       watched = %(watched)s,
       kept_from = %(kept_from)s,
       done_at = clock_timestamp()
 WHERE (front, safe, event_front, event_safe) = (%(old_front)s, %(old_safe)s, %(old_event_front)s, %(old_event_safe)s)
