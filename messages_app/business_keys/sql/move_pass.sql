-- Stores the position of a pass, unless another one did so meanwhile. Transactions that have begun when this statement
-- runs may commit messages before the new mark.
UPDATE business_key_pass AS pass
   SET front = %(front)s,
       safe = %(safe)s,
       mark = %(mark)s,
       mark_xid = CASE WHEN %(is_marked)s THEN pg_snapshot_xmax(pg_current_snapshot())::text::bigint ELSE mark_xid END,
       hub_schema = coalesce((SELECT hub_schema FROM attachment), pass.hub_schema),
       archive_schema = coalesce((SELECT nullif(archive_schema, '') FROM attachment), pass.archive_schema),
       done_at = clock_timestamp()
 WHERE front = %(old_front)s AND safe = %(old_safe)s AND mark = %(old_mark)s
