-- One row for each entry between two ids.
SELECT entry_id
  FROM audit_entry
 WHERE entry_id > %(after)s
   AND entry_id <= %(up_to)s
 ORDER BY entry_id
