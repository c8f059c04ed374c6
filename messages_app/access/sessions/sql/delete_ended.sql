DELETE FROM user_session WHERE ends_at <= statement_timestamp()
