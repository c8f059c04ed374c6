DELETE FROM login_failure WHERE subject = %(subject)s
