"""The desk's specialists: add yours with one import and one line."""

from agents.housing import housing
from agents.permits import permits
from agents.potholes import potholes
from agents.sanitation import sanitation
from agents.specialist import Specialist

SPECIALISTS: tuple[Specialist, ...] = (
    potholes,
    permits,
    sanitation,
    housing,
)
