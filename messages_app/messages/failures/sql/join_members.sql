-- Stores the group of the newest failure of each message.
INSERT INTO failure_member AS known (msg_id, group_id, at)
SELECT DISTINCT ON (msg_id) msg_id, group_id, at
  FROM unnest(%(messages)s::bigint[], %(groups)s::bigint[], %(ats)s::timestamptz[])
       AS failed (msg_id, group_id, at)
 ORDER BY msg_id, at DESC
ON CONFLICT (msg_id) DO UPDATE SET group_id = excluded.group_id, at = excluded.at
 WHERE excluded.at >= known.at
