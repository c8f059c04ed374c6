-- The active users whose names are these in any upper and lower case: id and name.
SELECT id, username
  FROM auth_user
 WHERE lower(username) IN (SELECT lower(name) FROM unnest(%(names)s::text[]) AS name) AND is_active
 ORDER BY id
