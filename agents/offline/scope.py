"""What the worked example knows beside its specialists: what a city hears that none of them handles, and who goes first.

Out-of-scope texts keep a complaint from the nearest specialist when it is for none. One that a registered specialist claims does not count.
"""

PRECEDENCE = (("housing", "permits"), ("housing", "potholes"), ("housing", "sanitation"), ("permits", "potholes"))
"""(earlier, later): whether people are safe comes before paperwork; who holds a permit decides who restores the street."""

OUT_OF_SCOPE = (
    "Parking; car parked illegally; parked in bike lane, on sidewalk; too close to the curb, hydrant; double parked; parks in front of my driveway; "
    "resident parking permit, sticker; meter; parking ticket; tow; abandoned vehicle; abandoned car, no plates; space saver; "
    "handicapped spot; car sticking out",
    "Traffic light; traffic signal; signal inspection; walk button; light stays red; turn arrow; stop sign twisted, down; missing sign; "
    "traffic sign blocking the ramp; crosswalk signal; new sign; new crosswalk, marking; speeding; cars race on our road, run the sign; "
    "speed hump; reckless drivers",
    "Street light; streetlight outside my window; lights out on my road; street lamp burned out; install lighting; light pole; "
    "downed wire; power lines; lines down, sparking; fire hydrant; hydrant leaking; water main break; pavement marking inspection; "
    "fire department; fire in the house, flames",
    "Tree; needs pruning; trim the tree; plant a tree in front of my house; branch hanging over road; hanging limb; "
    "dead tree by the road; fallen tree; shrubs, bushes, hedge encroach on the sidewalk; stepping off the curb; vine; grass; weeds",
    "Park; park bench; playground; swings; equipment repair; ball field; training field; gate; fountain; cemetery; column; tennis court; "
    "ground maintenance; park improvement requests; statue; library",
    "Loud music; music; neighbors had a party; people shouting; screaming; barking dog on our road; dog barks all night; fireworks; "
    "motorcycles rev engines; stereo loud; drum; car alarm; bar noise; rooftop disturbances; airplane noise; noise disturbance; "
    "dumpster loading noise; noise complaint",
    "Drug dealing; police; fight; gun shots; stole a bag; bag stolen; package stolen; broke into my car; break-in; homeless encampment; "
    "panhandling; graffiti; spray-painted; vandalism; illegal posting of signs; needles; needle pickup; syringe on the sidewalk; "
    "loitering",
    "Truck idling; idle; idle outside, fumes in my bedroom; bus; sits with engine running; exhaust; bus stop; bus late; driver was rude; "
    "train, MBTA; taxi; bike rack; bicycle, scooter; trucks on residential road; buses on the road; truck parks outside the shop, store; "
    "valet; parking lot complaints",
    "Dog; stray dog; lost my dog; lost cat; animal found; animal noise; off leash; coyote; raccoon in attic; bees; mosquitoes; snow; "
    "snow plow; unshoveled sidewalk, road not cleared; ice on the sidewalk, street; street not plowed; salt",
    "Recycling cart; cart return; comments; idea collection; employee; unsanitary conditions employees; tax, vote, register, school; "
    "praise; water bill; billing; food alert; price missing; short measure; news boxes; housing discrimination intake; "
    "big buildings recycling; public works general request",
)
"""Parking, signals, lights, trees and parks, people's noise, police, vehicles, animals and snow, the rest."""
