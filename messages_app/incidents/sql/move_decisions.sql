-- Gives the decisions about an incident to another one, except decisions that kept the two apart, and duplicates.
WITH removed AS (
  DELETE FROM incident_decision
   WHERE (incident_id, other_id) IN ((%(incident_id)s, %(survivor)s), (%(survivor)s, %(incident_id)s))
      OR (incident_id = %(incident_id)s
          AND EXISTS (SELECT
                        FROM incident_decision AS same
                       WHERE same.incident_id = %(survivor)s
                         AND (same.cell_id = incident_decision.cell_id OR same.other_id = incident_decision.other_id)))
      OR (other_id = %(incident_id)s
          AND EXISTS (SELECT
                        FROM incident_decision AS same
                       WHERE same.incident_id = incident_decision.incident_id
                         AND same.other_id = %(survivor)s))
  RETURNING decision_id
)
UPDATE incident_decision
   SET incident_id = CASE WHEN incident_id = %(incident_id)s THEN %(survivor)s ELSE incident_id END,
       other_id = CASE WHEN other_id = %(incident_id)s THEN %(survivor)s ELSE other_id END
 WHERE (incident_id = %(incident_id)s OR other_id = %(incident_id)s)
   AND decision_id NOT IN (SELECT decision_id FROM removed)
