-- Changes ranges. A range that a person pinned stays with its person.
UPDATE incident_cell
   SET first = changed.first, last = changed.last, reason = changed.reason, strength = changed.strength,
       pinned_by = changed.pinned_by, origin_id = changed.origin_id
  FROM unnest(%(ranges)s::bigint[], %(cells)s::bigint[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[],
              %(reasons)s::text[], %(strengths)s::text[], %(pinned)s::text[], %(origins)s::bigint[])
       AS changed (range_id, cell_id, first, last, reason, strength, pinned_by, origin_id)
 WHERE incident_cell.range_id = changed.range_id
   AND incident_cell.cell_id = changed.cell_id
   AND (incident_cell.pinned_by = '' OR incident_cell.pinned_by = changed.pinned_by)
