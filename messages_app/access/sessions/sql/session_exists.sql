SELECT EXISTS (SELECT FROM user_session WHERE key_sha256 = %(key)s)
