-- The name, the roles and the single permissions of a user who still has this name.
WITH changed AS (
  UPDATE auth_user
     SET username = %(username)s, first_name = %(first_name)s, last_name = %(last_name)s, email = %(email)s,
         is_staff = %(is_staff)s, is_superuser = %(is_superuser)s
   WHERE id = %(user_id)s AND username = %(seen_name)s
  RETURNING id
), left_roles AS (
  DELETE FROM auth_user_groups g USING changed
   WHERE g.user_id = changed.id AND g.group_id <> ALL (%(groups)s::int[])
), left_rights AS (
  DELETE FROM auth_user_user_permissions p USING changed
   WHERE p.user_id = changed.id AND p.permission_id <> ALL (%(permissions)s::int[])
), new_roles AS (
  INSERT INTO auth_user_groups (user_id, group_id)
  SELECT changed.id, group_id FROM changed, unnest(%(groups)s::int[]) AS group_id
  ON CONFLICT (user_id, group_id) DO NOTHING
)
SELECT count(*) FROM changed
