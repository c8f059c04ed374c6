-- One row per person and action on single messages without a job since a moment: actor, action, number of
-- messages, last time; and whether the entries that are read reach back to that moment. No index has the
-- time, so entries are read backwards by their id, at most `fence` of them.
WITH newest AS (
  SELECT at, actor, action, outcome, job_id, coalesce(msg_id::text, subject) AS message
    FROM audit_entry
   ORDER BY entry_id DESC
   LIMIT %(fence)s
), reach AS (
  SELECT count(*) < %(fence)s OR min(at) < %(since)s AS is_whole FROM newest
)
SELECT acts.actor, acts.action, acts.messages, acts.last, reach.is_whole
  FROM reach
  LEFT JOIN (SELECT actor, action, count(DISTINCT message) AS messages, max(at) AS last
               FROM newest
              WHERE at >= %(since)s
                AND NOT message = ''
                AND job_id IS NULL
                AND outcome = 'done'
                AND action = ANY (%(actions)s)
              GROUP BY actor, action) AS acts ON true
 ORDER BY acts.last DESC, acts.actor, acts.action
