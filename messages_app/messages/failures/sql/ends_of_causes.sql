-- The first and the last id of the messages of a failure group and of an incident; NULL: it has no
-- messages. Each end is read from one end of an index.
WITH group_ends AS (
  SELECT min(msg_id) AS first, max(msg_id) AS last
    FROM failure_member
   WHERE group_id = (%(group_id)s)::bigint
), incident_ends AS (
  SELECT min(one.first) AS first, max(one.last) AS last
    FROM (SELECT (SELECT failure_member.msg_id
                    FROM failure_member
                   WHERE failure_member.cell_id = incident_cell.cell_id
                     AND failure_member.at >= incident_cell.first
                     AND failure_member.at < incident_cell.last + interval '1 minute'
                   ORDER BY failure_member.msg_id
                   LIMIT 1) AS first,
                 (SELECT failure_member.msg_id
                    FROM failure_member
                   WHERE failure_member.cell_id = incident_cell.cell_id
                     AND failure_member.at >= incident_cell.first
                     AND failure_member.at < incident_cell.last + interval '1 minute'
                   ORDER BY failure_member.msg_id DESC
                   LIMIT 1) AS last
            FROM incident_cell
           WHERE incident_cell.incident_id = (%(incident_id)s)::bigint
           UNION ALL
          SELECT min(msg_id), max(msg_id)
            FROM incident_message
           WHERE incident_id = (%(incident_id)s)::bigint) AS one
)
SELECT greatest(CASE WHEN (%(group_id)s)::bigint IS NOT NULL THEN coalesce(group_ends.first, 1) END,
                CASE WHEN (%(incident_id)s)::bigint IS NOT NULL THEN coalesce(incident_ends.first, 1) END),
       least(CASE WHEN (%(group_id)s)::bigint IS NOT NULL THEN coalesce(group_ends.last, 0) END,
             CASE WHEN (%(incident_id)s)::bigint IS NOT NULL THEN coalesce(incident_ends.last, 0) END)
  FROM group_ends, incident_ends
