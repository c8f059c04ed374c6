-- The user with all rights, their own and those of their groups. One statement, because every request of a page
-- begins with it.
SELECT u.id, u.password, u.last_login, u.is_superuser, u.username, u.first_name, u.last_name, u.email, u.is_staff,
       u.is_active, u.date_joined,
       ARRAY(SELECT t.app_label || '.' || p.codename
               FROM auth_permission p
               JOIN django_content_type t ON t.id = p.content_type_id
              WHERE u.is_superuser
                 OR p.id IN (SELECT permission_id FROM auth_user_user_permissions WHERE user_id = u.id)
                 OR p.id IN (SELECT g.permission_id
                               FROM auth_group_permissions g
                               JOIN auth_user_groups m ON m.group_id = g.group_id
                              WHERE m.user_id = u.id)) AS rights
  FROM auth_user u
 WHERE u.id = %(user_id)s
