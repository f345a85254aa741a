"""Why an event does not change a ledger as it wants to; these never leave the reducer."""


class Misfit(Exception):
    """An event that its ledger cannot take; carries specialist, field and cause, none of the offending text."""

    def __init__(self, field: str, cause: str, specialist: str = "") -> None:
        """Keep what goes on record."""
        super().__init__(f"{field}: {cause}")
        self.record = {"specialist": specialist, "field": field, "cause": cause}


class Clash(Exception):
    """A known event with other content."""

    def __init__(self, name: str, mark: str) -> None:
        """Keep what goes on record."""
        super().__init__(name)
        self.record = {"id": name, "hash": mark}
