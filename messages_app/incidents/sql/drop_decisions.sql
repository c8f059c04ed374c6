-- Removes the decisions that put these cells into an incident, because a later one replaces them.
DELETE FROM incident_decision
 WHERE incident_id = %(incident_id)s
   AND cell_id = ANY (%(cells)s)
