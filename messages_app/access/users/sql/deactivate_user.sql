-- Whether the user was active, and the sessions and tokens that ended.
WITH changed AS (
  UPDATE auth_user SET is_active = false WHERE id = %(user_id)s AND is_active RETURNING id
), ended AS (
  DELETE FROM user_session s USING changed WHERE s.user_id = changed.id RETURNING s.session_id
), revoked AS (
  UPDATE api_token t SET revoked_at = statement_timestamp() FROM changed
   WHERE t.user_id = changed.id AND t.revoked_at IS NULL
  RETURNING t.token_id
)
SELECT (SELECT count(*) FROM changed), (SELECT count(*) FROM ended), (SELECT count(*) FROM revoked)
