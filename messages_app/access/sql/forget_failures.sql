DELETE FROM login_failure WHERE subject = ANY (%(subjects)s)
