-- One answer finds the row, so a challenge counts once; an answer of another session, user or purpose does not.
DELETE FROM passkey_challenge
 WHERE challenge = %(challenge)s AND session_sha256 = %(session)s AND user_id = %(user_id)s AND purpose = %(purpose)s
RETURNING ends_at > statement_timestamp() AS is_valid
