-- One row per row that was changed wrongly since oracle.before was filled: the change, table, key, and, for
-- changes of actions, whether only permitted columns differ.
WITH now (place, tab, id, digest, rest) AS ({rows}),
once AS (SELECT tab, id, count(*) AS times, min(digest) AS digest, min(rest) AS rest FROM now GROUP BY tab, id),
compared AS (
  SELECT coalesce(before.tab, once.tab) AS tab, coalesce(before.id, once.id) AS id, once.times,
         before.id IS NULL AS is_new, once.id IS NULL AS is_gone,
         once.digest <> before.digest AS is_altered, once.rest <> before.rest AS is_altered_elsewhere
    FROM oracle.before FULL JOIN once ON once.tab = before.tab AND once.id = before.id
),
acted_on AS (
  SELECT ledger.msg_id
    FROM job JOIN job_ledger AS ledger ON ledger.job_id = job.job_id
   WHERE job.kind IN ('restart', 'cancel') AND ledger.outcome = 'done'
),
calls_deleted AS (
  SELECT (call ->> 'call_id')::bigint AS call_id
    FROM audit_entry, jsonb_array_elements(details -> 'deleted_external_calls') AS call
)
SELECT 'lost', tab, id FROM compared
 WHERE is_gone AND NOT (tab = 'external_call' AND id IN (SELECT call_id FROM calls_deleted))
UNION ALL
SELECT 'doubled', tab, id FROM compared WHERE times > 1
UNION ALL
SELECT 'unexpected', tab, id FROM compared WHERE is_new
UNION ALL
SELECT 'altered', tab, id FROM compared
 WHERE is_altered
   AND (is_altered_elsewhere OR tab <> 'message' OR id NOT IN (SELECT msg_id FROM acted_on))
UNION ALL
{torn}
