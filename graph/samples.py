"""Complaints about the sample city, for a first look and for tests; `make run GOAL=@several` names one."""

SAMPLES = {
    "one": (
        "At 31 Lantern St the tenants upstairs have bed bugs again, trash bags are piled up in the yard, a crew is opening walls at night "
        "and nobody has seen a permit, and the sidewalk in front is broken."
    ),
    "several": (
        "I manage eight buildings and have a list for each. 31 Lantern St: no heat on the second floor, and rats in the yard. "
        "48 Harrow Ave: a crew works at night without a permit and the roof leaks into the apartments. "
        "7 Saltmarsh Way: bed bugs, and an overflowing dumpster behind the house. "
        "112 Foundry Row: people live in the basement without a second exit, and was that ever permitted? "
        "130 Quill St: the sidewalk is broken, and the landlord does not repair the boiler. "
        "12 Copperfield Ave: mice in the kitchen, and trash bags thrown in the alley. "
        "225 Kestrel Ave: mould in the bathrooms, and somebody builds a deck without a permit. "
        "18 Ropewalk St: an illegal rooming house, and a deep pothole at the door."
    ),
}
