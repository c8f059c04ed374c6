UPDATE auth_user SET is_active = true WHERE id = %(user_id)s AND NOT is_active
