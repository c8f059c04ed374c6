-- The entries of some actions in a range of time, newest first. Ids ascend with time, so the first entry is found by
-- bisecting them, and up to `fence` entries from there on are read.
WITH RECURSIVE bisection (low, high) AS (
  SELECT (SELECT entry_id FROM audit_entry ORDER BY entry_id LIMIT 1),
         (SELECT entry_id FROM audit_entry ORDER BY entry_id DESC LIMIT 1)
   UNION ALL
  SELECT CASE WHEN probe.at < %(start)s THEN (low + high) / 2 + 1 ELSE low END,
         CASE WHEN probe.at < %(start)s THEN high ELSE (low + high) / 2 END
    FROM bisection
   CROSS JOIN LATERAL (SELECT at
                         FROM audit_entry
                        WHERE entry_id >= (low + high) / 2
                        ORDER BY entry_id
                        LIMIT 1) AS probe
   WHERE low < high
)
SELECT entry_id, at, action, actor, job_id, subject_kind, subject
  FROM (SELECT entry_id, at, action, actor, job_id, subject_kind, subject, outcome
          FROM audit_entry
         WHERE entry_id >= (SELECT max(low) FROM bisection)
         ORDER BY entry_id
         LIMIT %(fence)s) AS near
 WHERE at >= %(start)s
   AND at <= %(stop)s
   AND action = ANY (%(actions)s)
   AND outcome = 'done'
 ORDER BY entry_id DESC
 LIMIT %(most)s
