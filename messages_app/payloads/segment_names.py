"""
The names of segments and fields in the words of their standards, for the common ones.

They are those of HL7 Version 2.5.1, UN/EDIFACT D.01B with ISO 9735, ASC X12 004010, TRADACOMS (ANA 1), and
SWIFT MT of the categories 1, 2 and 9.
"""

from collections.abc import Mapping


def _read_names(table: str) -> Mapping[str, str]:
    """Return the names of a table by their tags, one on each line."""
    return dict(line.strip().split(" ", 1) for line in table.strip().splitlines())


HL7 = _read_names(
    """
    ACC Accident
    ADD Addendum
    AIG Appointment information, general resource
    AIL Appointment information, location resource
    AIP Appointment information, personnel resource
    AIS Appointment information
    AL1 Patient allergy information
    BHS Batch header
    BTS Batch trailer
    CTD Contact data
    DB1 Disability
    DG1 Diagnosis
    DSC Continuation pointer
    ERR Error
    EVN Event type
    FHS File header
    FT1 Financial transaction
    FTS File trailer
    GT1 Guarantor
    IN1 Insurance
    IN2 Insurance additional information
    IN3 Insurance additional information, certification
    MFE Master file entry
    MFI Master file identification
    MRG Merge patient information
    MSA Message acknowledgment
    MSH Message header
    NK1 Next of kin, associated parties
    NTE Notes and comments
    OBR Observation request
    OBX Observation result
    ORC Common order
    PD1 Patient additional demographic
    PID Patient identification
    PR1 Procedures
    PRA Practitioner detail
    PV1 Patient visit
    PV2 Patient visit, additional information
    QAK Query acknowledgment
    QPD Query parameter definition
    QRD Original-style query definition
    QRF Original-style query filter
    RCP Response control parameter
    RGS Resource group
    ROL Role
    RXA Pharmacy/treatment administration
    RXC Pharmacy/treatment component order
    RXD Pharmacy/treatment dispense
    RXE Pharmacy/treatment encoded order
    RXO Pharmacy/treatment order
    RXR Pharmacy/treatment route
    SCH Scheduling activity information
    SFT Software segment
    SPM Specimen
    STF Staff identification
    TQ1 Timing/quantity
    TXA Transcription document header
    UB1 UB82
    UB2 UB92 data
    """
)

EDIFACT = _read_names(
    """
    AJT Adjustment details
    ALC Allowance or charge
    ALI Additional information
    BGM Beginning of message
    BUS Business function
    CNI Consignment information
    CNT Control total
    COM Communication contact
    CPI Charge payment instructions
    CPS Consignment packing sequence
    CTA Contact information
    CUX Currencies
    DGS Dangerous goods
    DLM Delivery limitations
    DOC Document/message details
    DTM Date/time/period
    EQD Equipment details
    EQN Number of units
    ERC Application error information
    FII Financial institution information
    FTX Free text
    GDS Nature of cargo
    GID Goods item details
    GIN Goods identity number
    GIR Related identification numbers
    GIS General indicator
    HAN Handling instructions
    IMD Item description
    INV Inventory management related details
    LIN Line item
    LOC Place/location identification
    MEA Measurements
    MOA Monetary amount
    NAD Name and address
    PAC Package
    PAI Payment instructions
    PAT Payment terms basis
    PCD Percentage details
    PCI Package identification
    PIA Additional product id
    PRI Price details
    QTY Quantity
    QVR Quantity variances
    RCS Requirements and conditions
    RFF Reference
    RNG Range details
    SCC Scheduling conditions
    SEL Seal number
    SGP Split goods placement
    STS Status
    TAX Duty/tax/fee details
    TDT Details of transport
    TMD Transport movement details
    TOD Terms of delivery or transport
    TSR Transport service requirements
    UCD Data element error indication
    UCF Group response
    UCI Interchange response
    UCM Message response
    UCS Segment error indication
    UNA Service string advice
    UNB Interchange header
    UNE Functional group trailer
    UNG Functional group header
    UNH Message header
    UNS Section control
    UNT Message trailer
    UNZ Interchange trailer
    """
)

X12 = _read_names(
    """
    ACK Line item acknowledgment
    AK1 Functional group response header
    AK2 Transaction set response header
    AK3 Data segment note
    AK4 Data element note
    AK5 Transaction set response trailer
    AK9 Functional group response trailer
    AMT Monetary amount
    BAK Beginning segment for purchase order acknowledgment
    BCH Beginning segment for purchase order change
    BEG Beginning segment for purchase order
    BGN Beginning segment
    BHT Beginning of hierarchical transaction
    BIG Beginning segment for invoice
    BPR Beginning segment for payment order/remittance advice
    BSN Beginning segment for ship notice
    CAS Claims adjustment
    CLM Health claim
    CLP Claim level data
    CTT Transaction totals
    CUR Currency
    DMG Demographic information
    DTM Date/time reference
    DTP Date or time or period
    EB Eligibility or benefit information
    EQ Eligibility or benefit inquiry
    FOB F.O.B. related instructions
    GE Functional group trailer
    GS Functional group header
    HI Health care information codes
    HL Hierarchical level
    IEA Interchange control trailer
    INS Insured benefit
    ISA Interchange control header
    IT1 Baseline item data (invoice)
    ITD Terms of sale/deferred terms of sale
    LIN Item identification
    LX Assigned number
    MAN Marks and numbers
    MSG Message text
    N1 Name
    N2 Additional name information
    N3 Address information
    N4 Geographic location
    NM1 Individual or organizational name
    NTE Note/special instruction
    PER Administrative communications contact
    PID Product/item description
    PO1 Baseline item data
    PRF Purchase order reference
    PRV Provider information
    QTY Quantity
    REF Reference identification
    SAC Service, promotion, allowance, or charge information
    SBR Subscriber information
    SE Transaction set trailer
    SN1 Item detail (shipment)
    ST Transaction set header
    SV1 Professional service
    SVC Service payment information
    TD1 Carrier details (quantity and weight)
    TD3 Carrier details (equipment)
    TD5 Carrier details (routing sequence/transit time)
    TDS Total monetary value summary
    TRN Trace
    """
)

TRADACOMS = _read_names(
    """
    BAT Start of batch
    CDT Customer details
    CLO Customer's location
    CRF Credit note references
    DIN Delivery instructions
    DNA Data narrative
    DNB Data narrative
    DNC Data narrative
    END End of transmission
    EOB End of batch
    FIL File details
    ILD Invoice line details
    IRF Invoice references
    MHD Message header
    MTR Message trailer
    ODD Order and delivery references
    OFT Order file trailer
    OIR Original invoice references
    OLD Order line details
    ORD Order references
    OTR Order trailer
    PYT Payment terms
    SDT Supplier details
    STL VAT rate invoice sub-trailer
    STX Start of transmission
    TLR Invoice trailer
    TOT File totals
    TYP Transaction type details
    VRS VAT rate summary
    """
)
SWIFT = _read_names(
    """
    {1: Basic header block
    {2: Application header block
    {3: User header block
    {4: Text block
    {5: Trailer block
    -} End of text
    :13C: Time indication
    :13D: Date/time indication
    :20: Transaction reference number
    :21: Related reference
    :23B: Bank operation code
    :23E: Instruction code
    :25: Account identification
    :26T: Transaction type code
    :28C: Statement number/sequence number
    :28D: Message index/total
    :30: Date
    :32A: Value date, currency, amount
    :32B: Currency, amount
    :33B: Currency/instructed amount
    :34F: Floor limit indicator
    :36: Exchange rate
    :50A: Ordering customer
    :50F: Ordering customer
    :50H: Ordering customer
    :50K: Ordering customer
    :51A: Sending institution
    :52A: Ordering institution
    :52D: Ordering institution
    :53A: Sender's correspondent
    :53B: Sender's correspondent
    :54A: Receiver's correspondent
    :56A: Intermediary
    :57A: Account with institution
    :57D: Account with institution
    :58A: Beneficiary institution
    :59: Beneficiary customer
    :59A: Beneficiary customer
    :59F: Beneficiary customer
    :60F: Opening balance
    :60M: Intermediate opening balance
    :61: Statement line
    :62F: Closing balance (booked funds)
    :62M: Intermediate closing balance
    :64: Closing available balance (available funds)
    :65: Forward available balance
    :70: Remittance information
    :71A: Details of charges
    :71F: Sender's charges
    :71G: Receiver's charges
    :72: Sender to receiver information
    :77B: Regulatory reporting
    :79: Narrative
    :86: Information to account owner
    :90C: Number and sum of entries, credit
    :90D: Number and sum of entries, debit
    """
)
