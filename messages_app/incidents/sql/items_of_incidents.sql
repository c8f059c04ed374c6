-- One row per item of these incidents, at most `most` of each: the incident, the store and the key.
SELECT asked.incident_id, own.store, own.item_key
  FROM unnest(%(incidents)s::bigint[]) AS asked (incident_id)
 CROSS JOIN LATERAL (SELECT failure_item.store, failure_item.item_key
                       FROM incident_cell
                       JOIN failure_item USING (cell_id)
                      WHERE incident_cell.incident_id = asked.incident_id
                        AND failure_item.at >= incident_cell.first
                        AND failure_item.at < incident_cell.last + interval '1 minute'
                      LIMIT %(most)s) AS own
