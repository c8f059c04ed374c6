-- The user of an identity. Another log-in of the same user waits until this transaction ends.
SELECT account.user_id, u.username, u.is_active
  FROM provider_account AS account
  JOIN auth_user AS u ON u.id = account.user_id
 WHERE account.issuer = %(issuer)s AND account.subject = %(subject)s
   FOR UPDATE OF account
