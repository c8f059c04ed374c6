-- One row: the number of entries between two ids, up to a limit, the last of them, and a digest of their
-- contents, which does not depend on the session's time zone and formats.
SELECT count(*), max(entry_id), encode(sha256(convert_to(coalesce(string_agg(told, E'\n' ORDER BY entry_id), ''), 'UTF8')), 'hex')
  FROM (SELECT entry_id,
               jsonb_build_array(
                 entry_id, at AT TIME ZONE 'UTC', actor, token_name, host(address), request_id, action, outcome, msg_id,
                 job_id, subject_kind, subject, before_state, after_state, reason, details)::text AS told
          FROM audit_entry
         WHERE entry_id > %(after)s
           AND entry_id <= %(up_to)s
         ORDER BY entry_id
         LIMIT %(most)s) AS entry
