-- The watch rules that count the messages of a view.
SELECT rule_id
  FROM watch_rule
 WHERE saved_view_id = %(view_id)s
