-- Adds ranges to incidents.
INSERT INTO incident_cell (incident_id, cell_id, first, last, reason, strength, pinned_by, origin_id)
SELECT incident_id, cell_id, first, last, reason, strength, pinned_by, origin_id
  FROM unnest(%(incidents)s::bigint[], %(cells)s::bigint[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[],
              %(reasons)s::text[], %(strengths)s::text[], %(pinned)s::text[], %(origins)s::bigint[])
       AS added (incident_id, cell_id, first, last, reason, strength, pinned_by, origin_id)
