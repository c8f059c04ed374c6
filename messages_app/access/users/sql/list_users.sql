-- The users of a page, with what the list shows of them. Times of sessions are recorded to the minute.
SELECT u.id AS user_id, u.username, concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')) AS full_name,
       u.email, u.is_active, u.is_superuser, u.is_staff, u.password LIKE '!%%' AS is_without_password, u.date_joined,
       ARRAY(SELECT g.name FROM auth_user_groups m JOIN auth_group g ON g.id = m.group_id
              WHERE m.user_id = u.id ORDER BY g.name) AS roles,
       ARRAY(SELECT p.codename FROM auth_user_user_permissions m JOIN auth_permission p ON p.id = m.permission_id
              WHERE m.user_id = u.id ORDER BY p.codename) AS permissions,
       EXISTS (SELECT FROM otp_totp_totpdevice d WHERE d.user_id = u.id AND d.confirmed) OR keys.number > 0
         AS has_second_factor,
       keys.number AS passkeys,
       (SELECT count(*) FROM user_session s WHERE s.user_id = u.id AND s.ends_at > statement_timestamp()) AS sessions,
       (SELECT count(*) FROM api_token t
         WHERE t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > statement_timestamp()) AS tokens,
       greatest(u.last_login, (SELECT max(s.last_used_at) FROM user_session s WHERE s.user_id = u.id)) AS last_seen_at,
       a.issuer, a.groups
  FROM auth_user u
  LEFT JOIN provider_account a ON a.user_id = u.id
 CROSS JOIN LATERAL (SELECT count(*) AS number FROM passkey p WHERE p.user_id = u.id) AS keys
 WHERE u.id = ANY (%(user_ids)s)
 ORDER BY u.username
