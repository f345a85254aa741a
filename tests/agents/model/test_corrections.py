"""What a corrective re-ask says: a refusal of the guard is told as that, also where a fault of a reply has the same name."""

import pytest

from agents.model.corrections import correction_for
from agents.model.faults import Fault
from ledger import Verdict

ROSTER = ("permits", "housing")


@pytest.mark.parametrize(
    ("code", "detail"), [("contradiction", "out_of_scope goes with finish only"), ("unknown_specialist", "choose from: permits"), ("repeat", "asked")]
)
def test_a_verdict_of_the_guard_keeps_its_detail(code: str, detail: str) -> None:
    assert correction_for(None, Verdict(code, detail), ROSTER) == f"refused ({code}): {detail}."


@pytest.mark.parametrize("fault", Fault)
def test_a_fault_of_a_reply_repeats_nothing_of_it(fault: Fault) -> None:
    said = correction_for(fault, Verdict(str(fault), "written by the model"), ROSTER)
    assert "written by the model" not in said and said.endswith("Choose from permits, housing. action is dispatch, ask or finish.")
