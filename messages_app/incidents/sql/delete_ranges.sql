-- Deletes ranges.
DELETE FROM incident_cell
 WHERE range_id = ANY (%(ranges)s)
