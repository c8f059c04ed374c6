-- The time of the new processing entry if this statement inserted it, otherwise the current trigger. Exactly one
-- of any number of simultaneous statements inserts it, because the unique key decides. Nothing is inserted for a
-- document with an entry or without a UUID. The hash of its content, if any, is stored with the entry.
WITH own AS (
    SELECT trigger_id, name, detect_duplicates, use_history, history_ttl_seconds, resolver, on_retry_failure,
           suspended_at, suspended_because
      FROM document_trigger
     WHERE trigger_id = %(trigger_id)s::varchar
       AND deleted_at IS NULL
), started AS (
    INSERT INTO document_history (trigger_id, document_uuid, status, time)
    SELECT own.trigger_id, %(uuid)s::varchar, 'processing', clock_timestamp()
      FROM own
     WHERE %(uuid)s::varchar IS NOT NULL
       AND own.detect_duplicates
       AND own.use_history
       AND own.suspended_at IS NULL
       AND NOT EXISTS (SELECT
                         FROM document_history AS entry
                        WHERE entry.trigger_id = own.trigger_id
                          AND entry.document_uuid = %(uuid)s::varchar
                          AND entry.status = 'completed')
    ON CONFLICT (trigger_id, document_uuid, status) DO NOTHING
    RETURNING time
), kept AS (
    INSERT INTO document_content (trigger_id, document_uuid, sha256, time)
    SELECT own.trigger_id, %(uuid)s::varchar, %(sha256)s::varchar, started.time
      FROM own, started
     WHERE %(sha256)s::varchar IS NOT NULL
    ON CONFLICT (trigger_id, document_uuid) DO UPDATE
       SET sha256 = excluded.sha256, time = excluded.time
)
SELECT started.time, own.*
  FROM (VALUES (true)) AS always
  LEFT JOIN started ON true
  LEFT JOIN own ON started.time IS NULL
