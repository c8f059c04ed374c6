-- The folds of these entries (audit/folding.py): one row per entry, action and outcome, in the order of time: number of
-- entries, and the time of the oldest. At most `most` entries of a fold are counted.
SELECT head.entry_id, member.action, member.outcome, count(*), min(member.at)
  FROM unnest(%(entries)s::bigint[]) AS one (entry_id)
  JOIN audit_entry AS head ON head.entry_id = one.entry_id
 CROSS JOIN LATERAL (
       (SELECT action, outcome, at
          FROM audit_entry
         WHERE job_id = head.job_id
         ORDER BY entry_id DESC
         LIMIT %(most)s)
       UNION ALL
       (SELECT action, outcome, at
          FROM audit_entry
         WHERE head.job_id IS NULL
           AND NOT token_name = ''
           AND job_id IS NULL
           AND token_name = head.token_name
           AND actor = head.actor
           AND at >= date_trunc('hour', head.at, 'UTC')
           AND at < date_trunc('hour', head.at, 'UTC') + interval '1 hour'
         ORDER BY at DESC
         LIMIT %(most)s)
       UNION ALL
       (SELECT action, outcome, at
          FROM audit_entry
         WHERE head.job_id IS NULL
           AND head.token_name = ''
           AND NOT request_id = ''
           AND job_id IS NULL
           AND token_name = ''
           AND request_id = head.request_id
           AND action = head.action
           AND outcome = head.outcome
           AND reason = head.reason
         ORDER BY at DESC
         LIMIT %(most)s)
       ) AS member
 GROUP BY head.entry_id, member.action, member.outcome
 ORDER BY head.entry_id, min(member.at), member.action, member.outcome
