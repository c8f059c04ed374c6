-- The mappings, or one of them, with the number of users who had the group at their last log-in.
SELECT m.mapping_id, m.issuer, m.group_name, g.name AS role, m.created_at,
       (SELECT count(*) FROM provider_account AS a
         WHERE a.issuer = m.issuer AND m.group_name = ANY (a.groups)) AS users
  FROM group_mapping AS m
  JOIN auth_group AS g ON g.id = m.role_id
 WHERE m.mapping_id = %(mapping_id)s OR %(mapping_id)s IS NULL
 ORDER BY m.issuer, m.group_name, g.name
 LIMIT %(most)s
