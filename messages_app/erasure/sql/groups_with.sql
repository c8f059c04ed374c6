-- One row per group of failures of which a text holds the key; there are as many as kinds of errors.
SELECT group_id
  FROM failure_group
 WHERE strpos(concat_ws(' ', summary, example, ticket, note), %(key)s) > 0
