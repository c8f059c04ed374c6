-- A reveal ends when its user loses a right: a group, a permission, a permission of a group, or being a superuser; in
-- the admin or in SQL. If the right is given back later, it begins with masked values.
CREATE FUNCTION end_reveals_of_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE user_session SET revealed_until = NULL
   WHERE revealed_until IS NOT NULL
     AND user_id IN (SELECT user_id FROM gone);
  RETURN NULL;
END
$$;
CREATE FUNCTION end_reveals_of_groups() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE user_session SET revealed_until = NULL
   WHERE revealed_until IS NOT NULL
     AND user_id IN (SELECT member.user_id
                       FROM auth_user_groups AS member
                       JOIN gone ON gone.group_id = member.group_id);
  RETURN NULL;
END
$$;
CREATE FUNCTION end_reveals_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE user_session SET revealed_until = NULL WHERE revealed_until IS NOT NULL AND user_id = new.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER end_reveals AFTER DELETE ON auth_user_groups
   REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_reveals_of_users();
CREATE TRIGGER end_reveals AFTER DELETE ON auth_user_user_permissions
   REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_reveals_of_users();
CREATE TRIGGER end_reveals AFTER DELETE ON auth_group_permissions
   REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_reveals_of_groups();
CREATE TRIGGER end_reveals AFTER UPDATE OF is_superuser, is_active ON auth_user FOR EACH ROW
   WHEN (old.is_superuser AND NOT new.is_superuser OR old.is_active AND NOT new.is_active)
   EXECUTE FUNCTION end_reveals_of_user();
