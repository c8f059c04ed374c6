-- One row per range of these cells that ends after a time: its id and columns, with minutes since 1970.
SELECT range_id, incident_id, cell_id, (extract(epoch FROM first) / 60)::bigint, (extract(epoch FROM last) / 60)::bigint,
       reason, strength, pinned_by, origin_id
  FROM incident_cell
 WHERE cell_id = ANY (%(cells)s)
   AND last >= %(since)s
 ORDER BY range_id
