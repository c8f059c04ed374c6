-- For each place: the time of the new processing entry if this place inserted it, otherwise the current trigger, as in
-- start.sql. Of several places with one document, the first one inserts. Entries are inserted in the order of their
-- keys, so that two statements never wait for each other. `OFFSET 0`: each document is looked up by its key.
WITH given AS MATERIALIZED (
    SELECT trigger_id, document_uuid, sha256, place,
           place = min(place) OVER (PARTITION BY trigger_id, document_uuid) AND document_uuid IS NOT NULL AS is_first
      FROM unnest(%(trigger_ids)s::varchar[], %(uuids)s::varchar[], %(sha256s)s::varchar[])
           WITH ORDINALITY AS one (trigger_id, document_uuid, sha256, place)
), own AS MATERIALIZED (
    SELECT trigger_id, name, detect_duplicates, use_history, history_ttl_seconds, resolver, on_retry_failure,
           suspended_at, suspended_because
      FROM document_trigger
     WHERE trigger_id = ANY (%(trigger_ids)s::varchar[])
       AND deleted_at IS NULL
), started AS (
    INSERT INTO document_history (trigger_id, document_uuid, status, time)
    SELECT given.trigger_id, given.document_uuid, 'processing', clock_timestamp()
      FROM given
      JOIN own ON own.trigger_id = given.trigger_id COLLATE "C"
     WHERE given.is_first
       AND own.detect_duplicates
       AND own.use_history
       AND own.suspended_at IS NULL
       AND NOT EXISTS (SELECT
                         FROM document_history AS entry
                        WHERE entry.trigger_id = given.trigger_id
                          AND entry.document_uuid = given.document_uuid
                          AND entry.status = 'completed'
                       OFFSET 0)
     ORDER BY given.trigger_id COLLATE "C", given.document_uuid COLLATE "C"
    ON CONFLICT (trigger_id, document_uuid, status) DO NOTHING
    RETURNING trigger_id, document_uuid, time
), kept AS (
    INSERT INTO document_content (trigger_id, document_uuid, sha256, time)
    SELECT started.trigger_id, started.document_uuid, given.sha256, started.time
      FROM started
      JOIN given ON given.trigger_id COLLATE "C" = started.trigger_id
                AND given.document_uuid COLLATE "C" = started.document_uuid
     WHERE given.is_first
       AND given.sha256 IS NOT NULL
     ORDER BY started.trigger_id, started.document_uuid
    ON CONFLICT (trigger_id, document_uuid) DO UPDATE
       SET sha256 = excluded.sha256, time = excluded.time
)
SELECT started.time, own.*
  FROM given
  LEFT JOIN started ON given.is_first
                   AND started.trigger_id = given.trigger_id COLLATE "C"
                   AND started.document_uuid = given.document_uuid COLLATE "C"
  LEFT JOIN own ON started.time IS NULL
               AND own.trigger_id = given.trigger_id COLLATE "C"
 ORDER BY given.place
