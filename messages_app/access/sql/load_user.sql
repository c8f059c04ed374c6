-- The user with all rights, their own and those of their groups, by id or by the digest of a token's key. Then the
-- settings of the person, and that token, whether it has expired, and whether its use must be recorded: once a minute. One statement, because every
-- request begins with it.
SELECT u.id, u.password, u.last_login, u.is_superuser, u.username, u.first_name, u.last_name, u.email, u.is_staff,
       u.is_active, u.date_joined,
       ARRAY(SELECT a.app_label || '.' || p.codename
               FROM auth_permission p
               JOIN django_content_type a ON a.id = p.content_type_id
              WHERE u.is_superuser
                 OR p.id IN (SELECT permission_id FROM auth_user_user_permissions WHERE user_id = u.id)
                 OR p.id IN (SELECT g.permission_id
                               FROM auth_group_permissions g
                               JOIN auth_user_groups m ON m.group_id = g.group_id
                              WHERE m.user_id = u.id)) AS rights,
       s.time_zone, s.density, s.start_page, s.pins,
       t.token_id, t.user_id, t.name, t.key_sha256, t.created_at, t.expires_at, t.requests_per_minute, t.last_used_at,
       t.revoked_at, t.scopes,
       t.expires_at <= statement_timestamp(),
       t.last_used_at IS NULL OR t.last_used_at < statement_timestamp() - interval '1 minute'
  FROM auth_user u
  LEFT JOIN person_settings s ON s.user_id = u.id
  LEFT JOIN api_token t ON t.user_id = u.id AND t.key_sha256 = %(key)s
 WHERE u.id = coalesce(%(user_id)s, (SELECT user_id FROM api_token WHERE key_sha256 = %(key)s))
