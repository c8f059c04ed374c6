-- One row per failure group with a text that contains the key. There are only as many groups as kinds of
-- errors.
SELECT group_id
  FROM failure_group
 WHERE strpos(concat_ws(' ', summary, example, ticket, note), %(key)s) > 0
