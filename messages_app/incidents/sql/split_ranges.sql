-- Gives the ranges of these cells to a new incident, pinned by a person.
UPDATE incident_cell
   SET incident_id = %(new_id)s, origin_id = %(new_id)s, pinned_by = %(by)s, reason = 'person', strength = 'high'
 WHERE incident_id = %(incident_id)s
   AND cell_id = ANY (%(cells)s)
