-- Gives the ranges of an incident to another one. With `keeps_origin` they remember where they were.
UPDATE incident_cell
   SET incident_id = %(survivor)s,
       origin_id = CASE WHEN %(keeps_origin)s THEN origin_id ELSE %(survivor)s END
 WHERE incident_id = %(incident_id)s
