import pytest

from messages_app.messages.importers.documents import read_document

CAMT = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"
PAIN = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"
HEAD = "urn:iso:std:iso:20022:tech:xsd:head.001.001.02"
STATEMENT = (
    f'<Document xmlns="{CAMT}"><BkToCstmrStmt><GrpHdr><MsgId>STMT-1</MsgId></GrpHdr><Stmt><Id>7</Id>'
    "<Acct><Svcr><FinInstnId><BIC>BANKDEFF</BIC></FinInstnId></Svcr></Acct></Stmt></BkToCstmrStmt></Document>"
)
PAYMENT = (
    f'<p:Document xmlns:p="{PAIN}"><p:CstmrCdtTrfInitn><p:GrpHdr><p:MsgId> PAY-1 </p:MsgId><p:InitgPty>'
    "<p:Nm>Acme</p:Nm><p:Id><p:OrgId><p:Othr><p:Id>4711</p:Id></p:Othr></p:OrgId></p:Id></p:InitgPty>"
    "</p:GrpHdr></p:CstmrCdtTrfInitn></p:Document>"
)
BUSINESS = (
    f'<Envelope xmlns="urn:any"><AppHdr xmlns="{HEAD}"><Fr><FIId><FinInstnId><BICFI>SENDBEBB</BICFI>'
    f"</FinInstnId></FIId></Fr><BizMsgIdr>BIZ-1</BizMsgIdr></AppHdr>{STATEMENT}</Envelope>"
)


def in_soap(body: str, *, version: str = "http://www.w3.org/2003/05/soap-envelope", header: str = "") -> str:
    return (
        f'<s:Envelope xmlns:s="{version}"><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>'
    )


ADDRESSED = (
    '<a:MessageID xmlns:a="http://www.w3.org/2005/08/addressing">urn:uuid:1</a:MessageID>'
    '<a:From xmlns:a="http://www.w3.org/2005/08/addressing"><a:Address>http://crm.example</a:Address></a:From>'
)
SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/"


class TestIdentify:
    @pytest.mark.parametrize(
        ("text", "identity"),
        [
            (STATEMENT, ("camt.053.001.02", "STMT-1", "BANKDEFF")),
            (PAYMENT, ("pain.001.001.09", "PAY-1", "4711")),
            (BUSINESS, ("camt.053.001.02", "BIZ-1", "SENDBEBB")),
            (STATEMENT.replace("STMT-1", "NOTPROVIDED"), ("camt.053.001.02", None, "BANKDEFF")),
            (STATEMENT.replace(CAMT, "urn:unknown"), ("Document", None, "UNKNOWN")),
            (in_soap('<GetOrder xmlns="urn:x"/>'), ("GetOrder", None, "UNKNOWN")),
            (
                in_soap("<!-- x --><o/>", version=SOAP_11, header=ADDRESSED),
                ("o", "urn:uuid:1", "HTTPCRMEXAMPLE"),
            ),
            (in_soap(STATEMENT, header=ADDRESSED), ("camt.053.001.02", "STMT-1", "BANKDEFF")),
            (in_soap(""), ("Envelope", None, "UNKNOWN")),
            (f'<s:Envelope xmlns:s="{SOAP_11}"/>', ("Envelope", None, "UNKNOWN")),
            ("<Envelope><Body><o/></Body></Envelope>", ("Envelope", None, "UNKNOWN")),
        ],
    )
    def test_reads_type_id_and_sender_where_the_standard_has_them(self, text, identity):
        document = read_document(text.encode())
        assert (document.type, document.document_id, document.sender) == identity
        assert document.payload == text
        assert not document.opens_process

    def test_reads_the_document_in_a_soap_body(self):
        order = '<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"><ID>PO-1</ID></Order>'
        document = read_document(in_soap(order, header=ADDRESSED).encode())
        assert (document.type, document.document_id) == ("Order", "PO-1")
