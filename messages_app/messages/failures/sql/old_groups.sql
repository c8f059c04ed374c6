-- One row per group of an earlier rule that does not have its present fingerprint yet, groups with a review or a note
-- first: its id and identity, the error of its newest message that is FAILED, or else the first line of its newest error.
SELECT group_id, service_name, operation_name, failed_error_code,
       coalesce((SELECT failure_excerpt(message.failed_desc)
                   FROM (SELECT msg_id
                           FROM failure_member
                          WHERE failure_member.group_id = failure_group.group_id
                          ORDER BY msg_id DESC
                          LIMIT %(fence)s) AS newest
                   JOIN message ON message.msg_id = newest.msg_id
                  WHERE message.state = 'FAILED'
                  ORDER BY newest.msg_id DESC
                  LIMIT 1), example)
  FROM failure_group
 WHERE regroup_below = %(unchecked)s
 ORDER BY state <> 'new' OR owner <> '' OR ticket <> '' OR note <> '' DESC, last_seen DESC
 LIMIT %(most)s
