-- A user without a usable password, with roles. No row: the name is taken.
WITH made AS (
  INSERT INTO auth_user (username, first_name, last_name, email, password, is_active, is_staff, is_superuser, date_joined)
  VALUES (%(username)s, %(first_name)s, %(last_name)s, %(email)s, %(password)s, true, %(is_staff)s, %(is_superuser)s,
          statement_timestamp())
  ON CONFLICT (username) DO NOTHING
  RETURNING id
), added AS (
  INSERT INTO auth_user_groups (user_id, group_id)
  SELECT made.id, group_id FROM made, unnest(%(groups)s::int[]) AS group_id
)
SELECT id FROM made
