-- One row per cell with new failures: its fingerprint and id. Missing cells are created.
INSERT INTO failure_cell AS known
       (fingerprint, store, service_name, operation_name, source_system, external_system, error_code, cause, group_id,
        first_seen, last_seen)
SELECT fingerprint, store, service_name, operation_name, source_system, external_system, error_code, cause, group_id,
       first_seen, last_seen
  FROM unnest(%(fingerprints)s::text[], %(stores)s::text[], %(services)s::text[], %(operations)s::text[],
              %(senders)s::text[], %(systems)s::text[], %(codes)s::text[], %(causes)s::text[], %(groups)s::bigint[],
              %(firsts)s::timestamptz[], %(lasts)s::timestamptz[])
       AS joined (fingerprint, store, service_name, operation_name, source_system, external_system, error_code, cause,
                  group_id, first_seen, last_seen)
 ORDER BY fingerprint
ON CONFLICT (fingerprint) DO UPDATE
   SET first_seen = least(known.first_seen, excluded.first_seen),
       last_seen = greatest(known.last_seen, excluded.last_seen)
RETURNING fingerprint, cell_id
