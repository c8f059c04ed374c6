"""What a browser may do with an answer, and where it reports the rest. Source: reliability S-12, S-36."""

# Where browsers send reports, by report-uri: those that know report-to as well would go by that alone, and
# send nothing where the console is reached without TLS.
REPORTS_PATH = "/policy-reports/"
_REPORTED = f"report-uri {REPORTS_PATH}"

# The API's answers are data: a browser that is made to show one may run and load nothing.
API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

# A download is somebody's text: where a browser shows it after all, it may do nothing.
DOWNLOAD_POLICY = f"sandbox; {API_POLICY}"

# Scripts and styles come from our own files alone: nothing inline, so no nonces, and nothing evaluated.
PAGE_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; "
    f"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; {_REPORTED}"
)
