-- One row about the entries under a seal: those between two ids, up to a limit and without the ids under later seals,
-- and the ones that come late. Their number, the last id of the first kind, a digest of all contents, which does not
-- depend on the session's time zone and formats; the spans of ids without an entry, as first and last ids; and
-- the transactions before this one that are open, which may still add entries there.
WITH entry AS MATERIALIZED (
  SELECT *, entry_id - 1 AS gap_to, 1 + lag(entry_id, 1, %(after)s) OVER (ORDER BY entry_id) AS gap_from
    FROM (SELECT *
            FROM audit_entry
           WHERE entry_id > %(after)s
             AND entry_id <= %(up_to)s
             AND entry_id <> ALL (%(elsewhere)s::bigint[])
           ORDER BY entry_id
           LIMIT %(most)s) AS between_ids
), told AS (
  -- Newer columns are added only where they have a value, so that seals of older versions hold.
  SELECT entry_id,
         (jsonb_build_array(
            entry_id, at AT TIME ZONE 'UTC', actor, token_name, host(address), request_id, action, outcome, msg_id,
            job_id, subject_kind, subject, before_state, after_state, reason, details)
          || CASE WHEN transaction_id IS NULL AND actor_id IS NULL THEN '[]'
                  ELSE jsonb_build_array(transaction_id, actor_id, masklen(address)) END)::text AS content
    FROM (SELECT * FROM entry
           UNION ALL
          SELECT *, NULL, NULL FROM audit_entry WHERE entry_id = ANY (%(late)s::bigint[])) AS covered
), open AS (
  SELECT id
    FROM (SELECT xip::text::bigint AS id FROM pg_snapshot_xip(pg_current_snapshot()) AS xip
           UNION
          SELECT generate_series(pg_snapshot_xmax(pg_current_snapshot())::text::bigint, %(before)s - 1)) AS xid
   WHERE id < %(before)s
)
SELECT (SELECT count(*) FROM told),
       (SELECT max(entry_id) FROM entry),
       (SELECT encode(sha256(convert_to(coalesce(string_agg(content, E'\n' ORDER BY entry_id), ''), 'UTF8')), 'hex')
          FROM told),
       (SELECT coalesce(array_agg(gap_from ORDER BY entry_id), '{}') FROM entry WHERE gap_from <= gap_to),
       (SELECT coalesce(array_agg(gap_to ORDER BY entry_id), '{}') FROM entry WHERE gap_from <= gap_to),
       (SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM open)
