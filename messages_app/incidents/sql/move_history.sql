-- Moves the position in the messages from before the console was installed. After the last one, failures have been
-- counted since `oldest`, but no longer than a day ago.
UPDATE incident_pass
   SET history_before = %(before)s,
       history_read_at = CASE WHEN %(is_last)s THEN clock_timestamp() END,
       started_at = CASE WHEN %(is_last)s
                          AND %(oldest)s::timestamptz IS NOT NULL
                         THEN least(started_at, greatest(%(oldest)s::timestamptz, now() - interval '25 hours'))
                         ELSE started_at END
 WHERE history_read_at IS NULL
   AND history_before IS NOT DISTINCT FROM (%(moved_from)s)::bigint
