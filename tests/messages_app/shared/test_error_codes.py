import pytest

from messages_app.shared.error_codes import describe_code


class TestDescribeCode:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("MQException: MQJE001: Completion Code '2', Reason '2085'.", "IBM MQ reason 2085"),
            ("MQException: IBM MQ call failed with reason '2085' ('MQRC_X').", "IBM MQ reason 2085"),
            (
                "[LDAP: error code 49 - 80090308: DSID-0C09, comment: AcceptSecurityContext error, data 52e]",
                "LDAP error code 49, data 52e",
            ),
            ("[LDAP: error code 32 - No Such Object]", "LDAP error code 32: No Such Object"),
            (
                "(404, \"NOT_FOUND - no queue 'a' in vhost '/'\")",
                'NOT_FOUND - no queue "a" in vhost … (404)',
            ),
            (
                "#method(reply-code=404, reply-text=NOT_FOUND - no queue 'a', class-id=60)",
                'NOT_FOUND - no queue "a" (404)',
            ),
            ("550 5.1.1 <a@b.example>: User unknown", "User unknown (550 5.1.1)"),
            ("{'a@b.example': (550, b'5.1.1 <a@b.example>: User unknown')}", "User unknown (550 5.1.1)"),
            ("error_perm: 550 a_1.csv: No such file", "No such file (550)"),
            ("File operation failed: 550 a_1.csv: No such file. Code: 550", "No such file (550)"),
            ("Rate exceeded (Service: AmazonSQS; Error Code: AccessDenied; Request ID: 7)", "Access denied"),
            ("An error occurred (AccessDenied) when calling the GetObject operation", "Access denied"),
            ("NoSuchKeyException: None. (Service: S3, Status Code: 404, Request ID: 1)", "No such key"),
            ("S3Exception: Access Denied (Service: S3, Status Code: 403, Request ID: 1)", "Access denied"),
            ("StatusRuntimeException: UNAVAILABLE: overflow", "overflow (gRPC unavailable)"),
            ("rpc error: code = Unavailable desc = overflow", "overflow (gRPC unavailable)"),
            (
                "Disposition: automatic-action; processed/error: decryption-failed",
                "Receipt of AS2: decryption-failed",
            ),
            ("Order 1 failed", ""),
            ("", ""),
        ],
    )
    def test_names_the_code_whatever_is_around_it(self, text, expected):
        assert describe_code(text) == expected
