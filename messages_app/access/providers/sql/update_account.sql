-- The names, the groups and the roles of an active user, from the provider. One row if the user is active: the roles
-- that the user had and has.
WITH seen AS (
  UPDATE auth_user SET first_name = %(first_name)s, last_name = %(last_name)s, email = %(email)s
   WHERE id = %(user_id)s AND is_active
  RETURNING id
), account AS (
  UPDATE provider_account SET groups = %(groups)s, last_log_in_at = statement_timestamp()
    FROM seen WHERE user_id = seen.id
), given AS (
  SELECT DISTINCT role_id FROM group_mapping WHERE issuer = %(issuer)s AND group_name = ANY (%(groups)s)
), left_roles AS (
  DELETE FROM auth_user_groups AS held USING seen
   WHERE held.user_id = seen.id AND held.group_id NOT IN (SELECT role_id FROM given)
), new_roles AS (
  INSERT INTO auth_user_groups (user_id, group_id)
  SELECT seen.id, given.role_id FROM seen, given
  ON CONFLICT (user_id, group_id) DO NOTHING
)
SELECT ARRAY(SELECT g.name FROM auth_user_groups AS held JOIN auth_group AS g ON g.id = held.group_id
              WHERE held.user_id = seen.id ORDER BY g.name),
       ARRAY(SELECT g.name FROM given JOIN auth_group AS g ON g.id = given.role_id ORDER BY g.name)
  FROM seen
