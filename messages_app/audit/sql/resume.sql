-- One row, or none if the entry is missing: the id of the entry with this number in a span that ends at an id which was
-- never assigned.
SELECT entry_id
  FROM audit_entry
 WHERE entry_id BETWEEN %(first_id)s AND %(up_to)s
 ORDER BY entry_id
OFFSET greatest(%(entries)s - (SELECT count(*)
                                 FROM audit_entry
                                WHERE entry_id > %(up_to)s
                                  AND entry_id <= %(last_id)s) - 1, 0)
 LIMIT 1
