"""An entry that stands under another case or alias than its own is damage, whichever way it got there."""

import pytest

from store import ArtifactDamaged, MemoryStore
from store.backend import handle_of


class Mixed(MemoryStore):
    """A store that looks one entry up where another was asked for."""

    def __init__(self, case: str, alias: str) -> None:
        super().__init__()
        self.found = case, alias

    async def _fetch(self, case: str, alias: str, start: int, length: int) -> tuple[str, bytes] | None:
        return await super()._fetch(*self.found, start, length)


@pytest.mark.parametrize(("case", "alias"), [("theirs", "A1"), ("mine", "A2"), ("theirs", "A2")])
async def test_another_entry_is_never_taken_for_the_one_that_was_asked_for(case: str, alias: str) -> None:
    store = Mixed(case, alias)
    for name in ("mine", "theirs"):
        for stem in ("A1", "A2"):
            await store.put(name, f"{stem} of {name}", stem=stem, kind="note", description="a note", producer="permits")
    for read in (store.read("mine", "A1"), store.stat("mine", "A1"), store.stat("mine", "A1", verify=True)):
        with pytest.raises(ArtifactDamaged, match="artifact A1 of case mine: its entry in the store is damaged"):
            await read


async def test_an_entry_reads_back_under_its_own_names_alone() -> None:
    handle = await MemoryStore().put("mine", "body", stem="A1", kind="note", description="a note", producer="permits")
    entry = handle.model_dump_json()
    assert handle_of(entry, "mine", "A1") == handle == handle_of(entry, "mine")
    for text, case, alias in (
        (entry, "theirs", "A1"),
        (entry, "theirs", None),
        (entry, "mine", "A2"),
        (entry[:-1], "mine", "A1"),
        ("{}", "mine", None),
    ):
        with pytest.raises(ArtifactDamaged):
            handle_of(text, case, alias)
