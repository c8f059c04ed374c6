-- Whether the user was active and had the password that was read, and the sessions that ended.
WITH changed AS (
  UPDATE auth_user SET password = %(password)s
   WHERE id = %(user_id)s AND is_active AND password = %(seen_password)s
  RETURNING id
), ended AS (
  DELETE FROM user_session s USING changed WHERE s.user_id = changed.id RETURNING s.session_id
)
SELECT (SELECT count(*) FROM changed), (SELECT count(*) FROM ended)
