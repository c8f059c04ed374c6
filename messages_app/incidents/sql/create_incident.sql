-- One row if the incident was opened with its ranges: its id. None if another incident has a minute of them.
WITH range AS MATERIALIZED (
  SELECT cell_id, first, last, reason, strength, pinned_by
    FROM unnest(%(cells)s::bigint[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[], %(reasons)s::text[],
                %(strengths)s::text[], %(pinned)s::text[], %(origins)s::bigint[])
         AS range (cell_id, first, last, reason, strength, pinned_by, origin_id)
), opened AS (
  INSERT INTO incident (title, state, began_at, last_failure_at, external_system, key_service, key_sender, key_text,
                        closed_by, is_held_open, services, error_codes, failures, affected, owner,
                        acknowledged_by, is_merged_by_person)
  SELECT %(title)s, 'open', min(first), max(last), %(system)s, %(service)s, %(sender)s, %(text)s,
         '', false, '{}', '{}', 0, 0, '', '', false
    FROM range
  HAVING NOT EXISTS (SELECT
                       FROM range AS wanted
                       JOIN incident_cell AS other ON other.cell_id = wanted.cell_id
                      WHERE other.first <= wanted.last
                        AND other.last >= wanted.first)
  RETURNING incident_id
), added AS (
  INSERT INTO incident_cell (incident_id, cell_id, first, last, reason, strength, pinned_by, origin_id)
  SELECT incident_id, cell_id, first, last, reason, strength, pinned_by, incident_id
    FROM opened
   CROSS JOIN range
)
SELECT incident_id
  FROM opened
