-- One row for each entry under consecutive seals: between two ids without the ids under later seals, or late. The table
-- refuses the removal of entries without a tombstone.
DELETE FROM audit_entry
 WHERE (entry_id BETWEEN %(first_id)s AND %(last_id)s AND entry_id <> ALL (%(elsewhere)s::bigint[]))
    OR entry_id = ANY (%(late)s::bigint[])
