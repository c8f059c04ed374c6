"""
A reveal ends when its user loses a right: a group, a permission, a group's permission, or being a superuser.

Whoever takes the right away, in the admin or in SQL. Given back later, the right begins with masked values.
"""

from django.db import migrations

_ENDS = """
CREATE FUNCTION end_reveals_of_users() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
BEGIN
  UPDATE user_session SET revealed_until = NULL
   WHERE revealed_until IS NOT NULL
     AND user_id IN (SELECT user_id FROM gone);
  RETURN NULL;
END
$$;
CREATE FUNCTION end_reveals_of_groups() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
BEGIN
  UPDATE user_session SET revealed_until = NULL
   WHERE revealed_until IS NOT NULL
     AND user_id IN (SELECT member.user_id
                       FROM auth_user_groups AS member
                       JOIN gone ON gone.group_id = member.group_id);
  RETURN NULL;
END
$$;
CREATE FUNCTION end_reveals_of_user() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
BEGIN
  UPDATE user_session SET revealed_until = NULL WHERE revealed_until IS NOT NULL AND user_id = new.id;
  RETURN NULL;
END
$$;
DO $$
DECLARE
  each text;
BEGIN
  FOREACH each IN ARRAY
    ARRAY['end_reveals_of_users()', 'end_reveals_of_groups()', 'end_reveals_of_user()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', each, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', each);
  END LOOP;
END $$;
CREATE TRIGGER end_reveals AFTER DELETE ON auth_user_groups
   REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_reveals_of_users();
CREATE TRIGGER end_reveals AFTER DELETE ON auth_user_user_permissions
   REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_reveals_of_users();
CREATE TRIGGER end_reveals AFTER DELETE ON auth_group_permissions
   REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_reveals_of_groups();
CREATE TRIGGER end_reveals AFTER UPDATE OF is_superuser, is_active ON auth_user FOR EACH ROW
   WHEN (old.is_superuser AND NOT new.is_superuser OR old.is_active AND NOT new.is_active)
   EXECUTE FUNCTION end_reveals_of_user();
"""
_BACK = """
DROP TRIGGER end_reveals ON auth_user_groups;
DROP TRIGGER end_reveals ON auth_user_user_permissions;
DROP TRIGGER end_reveals ON auth_group_permissions;
DROP TRIGGER end_reveals ON auth_user;
DROP FUNCTION end_reveals_of_users();
DROP FUNCTION end_reveals_of_groups();
DROP FUNCTION end_reveals_of_user();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0041_take_documents"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunSQL(_ENDS, _BACK)]
