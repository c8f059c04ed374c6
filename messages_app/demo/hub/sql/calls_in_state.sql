-- The due external calls among the next ones in one state, in the order of their ids; and the last one read, where
-- the next scan continues.
WITH walked AS MATERIALIZED (
  SELECT call_id, operation_name, last_update_timestamp
    FROM external_call
   WHERE state = %(state)s AND state <> %(ok)s AND call_id > %(after_id)s
   ORDER BY call_id
   LIMIT %(fence)s
)
SELECT call_id,
       last_update_timestamp < %(changed_before)s
       AND (%(operation_name)s::text IS NULL OR operation_name = %(operation_name)s) AS is_due
  FROM walked
 ORDER BY call_id
