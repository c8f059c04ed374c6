-- One row per group with new failures: its fingerprint and id. Missing groups are created.
INSERT INTO failure_group AS known
       (fingerprint, service_name, operation_name, failed_error_code, summary, example, failures,
        first_seen, last_seen, state, state_at, owner, ticket, note)
SELECT fingerprint, service_name, operation_name, failed_error_code, summary, example, failures,
       first_seen, last_seen, 'new', first_seen, '', '', ''
  FROM unnest(%(fingerprints)s::text[], %(services)s::text[], %(operations)s::text[], %(codes)s::text[],
              %(summaries)s::text[], %(examples)s::text[], %(failures)s::bigint[],
              %(firsts)s::timestamptz[], %(lasts)s::timestamptz[])
       AS joined (fingerprint, service_name, operation_name, failed_error_code, summary, example, failures,
                  first_seen, last_seen)
 ORDER BY fingerprint
ON CONFLICT (fingerprint) DO UPDATE
   SET failures = known.failures + excluded.failures,
       example = CASE WHEN excluded.last_seen >= known.last_seen THEN excluded.example ELSE known.example END,
       first_seen = least(known.first_seen, excluded.first_seen),
       last_seen = greatest(known.last_seen, excluded.last_seen)
RETURNING fingerprint, group_id
