-- Ends the sessions of an identity that began before its provider logged it out: one, or all if none is named. A
-- session that began later stays, so that a token that is sent twice ends nothing more. One row a session.
WITH ended AS (
  DELETE FROM user_session AS session USING provider_account AS account
   WHERE account.user_id = session.user_id
     AND account.issuer = %(issuer)s
     AND (account.subject = %(subject)s OR %(subject)s = '')
     AND (session.provider_session = %(provider_session)s OR %(provider_session)s = '')
     AND session.began_at <= to_timestamp(%(at)s)
  RETURNING session.user_id
)
SELECT ended.user_id, u.username, count(*) FROM ended JOIN auth_user AS u ON u.id = ended.user_id
 GROUP BY ended.user_id, u.username
