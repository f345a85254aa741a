"""City records: a read-only database of cases, violations, permits and streets, and the questions that specialists put to it."""

from agents.city.records.addresses import Address, addresses_in
from agents.city.records.buildings import Permit, Severity, State, Violation, permit_history, violations
from agents.city.records.cases import Case, Chain, case_history, conditions_near, find_case, follow, inspections, trace
from agents.city.records.findings import Finding, Record
from agents.city.records.importer import ImportReport, import_records
from agents.city.records.places import Located, Site, locate, locate_all
from agents.city.records.sample import ensure_records, make_sample
from agents.city.records.schema import RECORDS_FILE, Records, RecordsError, open_records
from agents.city.records.streets import StreetWork, Sweep, next_sweeping, street_work, sweeping

__all__ = [
    "RECORDS_FILE",
    "Address",
    "Case",
    "Chain",
    "Finding",
    "ImportReport",
    "Located",
    "Permit",
    "Record",
    "Records",
    "RecordsError",
    "Severity",
    "Site",
    "State",
    "StreetWork",
    "Sweep",
    "Violation",
    "addresses_in",
    "case_history",
    "conditions_near",
    "ensure_records",
    "find_case",
    "follow",
    "import_records",
    "inspections",
    "locate",
    "locate_all",
    "make_sample",
    "next_sweeping",
    "open_records",
    "permit_history",
    "street_work",
    "sweeping",
    "trace",
    "violations",
]
