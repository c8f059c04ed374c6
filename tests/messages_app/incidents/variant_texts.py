"""
Error texts of other products than those in texts.py, with ports, ids and times that change with each message.

{h}: the host of the system, {p}: a port, {n}: a number, {w}: a value, {u}: a UUID, {t}: a time,
{s}: the service.
"""

SYSTEM = (
    "com.acme.remote.RemoteAccessFailure: endpoint {h}:{p} did not accept the call {u}",
    "System.ServiceModel.EndpointNotFoundException: There was no endpoint listening at "
    "https://{h}:{p}/svc/{s}.svc that could accept the message",
    "Die Gegenstelle {h}:{p} hat den Auftrag {n} um {t} nicht angenommen",
    "Schnittstelle antwortet nicht (Vorgang {u})",
    "{t} WARN peer closed session {u} before reply was complete",
    "RFC_ERROR_COMMUNICATION: connect to SAP gateway failed, LOCATION CPIC (TCP/IP), rc={n}",
    "urllib3.exceptions.ProtocolError: ('Connection aborted.', RemoteDisconnected('Remote end closed "
    "connection without response'))",
    "FetchError: request to https://{h}:{p}/api/v3/items/{n} failed, reason: socket hang up",
    "rpc error: code = Unavailable desc = transport is closing",
    "AMQ{n}E: channel to {h}({p}) ended abnormally",
    "HTTP/1.1 503 Service Unavailable (request {u})",
    "Bad Gateway: upstream {h}:{p} sent nothing, trace {u}",
    "421 4.3.2 Service shutting down, session {u}",
    "LDAP: error code 52 - Unavailable",
    "com.jcraft.jsch.JSchException: session is down",
    "Der Server hat die Anforderung {u} mit Status 502 beantwortet",
    "soap:Server Fault: backend {h} returned no data for {u}",
)
SLOW = (
    "Antwort von {h}:{p} kam nicht in 20000 ms (Vorgang {u})",
    "System.TimeoutException: The request channel timed out while waiting for a reply after 00:00:59.9. {u}",
    "java.util.concurrent.TimeoutException: Did not observe any item within {n}ms in 'flatMap'",
    "Deadline exceeded after 4.99s, remote_addr={h}/10.4.1.8:{p}",
    "HTTP 504 Gateway Time-out, x-request-id {u}",
    "esperando respuesta de {h} demasiado tiempo, solicitud {u}",
)
CODE = (
    "System.InvalidOperationException: Sequence contains no elements",
    "System.ArgumentNullException: Value cannot be null. (Parameter 'source')",
    "panic: runtime error: index out of range [3] with length 3",
    "KeyError: 'tariff_{s}'",
    "com.acme.{s}.MappingFailure: rule {s}-17 yields two results for {u}",
    'ORA-00904: "VAT_ID": invalid identifier',
    "psycopg.errors.UndefinedColumn: column o.vat_id does not exist",
    "XPST0008: variable $lines has not been declared",
    "Abbildung {s} liefert für Satz {n} kein Ergebnis",
    "ReferenceError: lines is not defined",
    "java.lang.UnsupportedOperationException: immutable map {u}",
)
DATA = (
    "ABAP message F5 {n}: account {w} is not marked open for posting",
    "Pflichtfeld Steuernummer nicht belegt (Beleg {n}, {t})",
    "org.hibernate.exception.DataException: value too long for type character varying(30)",
    "Der Betrag {w} passt nicht zur Währung",
    "IDoc {n}: segment E1EDK01 is incomplete",
    "System.FormatException: Input string '{w}' was not in a correct format.",
    "[BR-CO-15] total with VAT does not equal the sum in invoice {u}",
    "la valeur {w} du champ pays est inconnue",
    '422 Unprocessable Entity: {"field":"iban","value":"{w}","id":"{u}"}',
    'ERROR: new row for relation "line" violates check constraint "line_qty"',
    "Unknown article {w} in position {n}",
)
BACKGROUND = (
    "Kunde {n} ist gesperrt",
    "Beleg {n} wurde schon verbucht ({t})",
    "System.NullReferenceException: Object reference not set to an instance of an object.",
    "ORA-00001: unique constraint (HUB.UK_{s}) violated",
    "Antwort von {h}:{p} kam nicht in 20000 ms (Vorgang {u})",
    "HTTP/1.1 404 Not Found: https://{h}:{p}/api/v3/items/{n}",
    "rpc error: code = Unavailable desc = transport is closing",
    "409 Conflict, x-request-id {u}",
    'could not obtain lock on row in relation "stock"',
    "Saldo von {w} reicht nicht",
    "Unknown article {w} in position {n}",
    "java.net.SocketTimeoutException: Read timed out",
    "Vertrag {u} ist beendet",
    "Limit of {n} lines exceeded",
    "Session {u} expired",
)
