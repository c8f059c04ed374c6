-- Gives a restored view back to these watch rules, if they have no other view.
UPDATE watch_rule
   SET saved_view_id = %(view_id)s
 WHERE rule_id = ANY (%(rules)s)
   AND measure = 'saved_view'
   AND saved_view_id IS NULL
