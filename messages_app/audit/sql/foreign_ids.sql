-- One row for each of some entries whose ids were never assigned: the first ones, and the last ones.
(SELECT entry_id FROM audit_entry WHERE entry_id <= 0 ORDER BY entry_id LIMIT %(most)s)
 UNION ALL
(SELECT entry_id
   FROM audit_entry
  WHERE entry_id > (SELECT audit_last_id())
  ORDER BY entry_id DESC
  LIMIT %(most)s)
