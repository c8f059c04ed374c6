-- One row per incident: the number of its items, at most `most`.
SELECT asked.incident_id,
       (SELECT count(*)
          FROM (SELECT
                  FROM incident_cell
                  JOIN failure_item USING (cell_id)
                 WHERE incident_cell.incident_id = asked.incident_id
                   AND failure_item.at >= incident_cell.first
                   AND failure_item.at < incident_cell.last + interval '1 minute'
                 LIMIT %(most)s) AS counted)
  FROM unnest(%(incidents)s::bigint[]) AS asked (incident_id)
