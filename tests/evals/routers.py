"""Planted routers: each has one known flaw that an evaluation must show, or none."""

from collections import Counter
from collections.abc import Callable

from agents.model.settings import ModelChoice
from agents.offline.routing import OfflineRouter
from agents.offline.situation import read
from agents.registry import SPECIALISTS
from tests.evals.asking import Watched
from tests.evals.cases import NAMES
from tests.scripted import Scripted, dispatch, finish

SWAYED_AFTER = 6
"""Old lines from which a biased router follows them."""
DROWNED_AFTER = 28
"""Mentions of one name from which a router hears nothing else."""


def planted(answer: Callable[[str, str], str]) -> Watched:
    """Return an endpoint over a function of the two messages."""
    return Watched(ModelChoice(model="planted"), Scripted(answer=answer))


def sound(system: str, user: str) -> str:
    """Decide as the offline router does, whatever stands in old lines."""
    return OfflineRouter(specialists=SPECIALISTS).decide(read(system, user)).model_dump_json()


def biased(system: str, user: str) -> str:
    """Follow whoever worked most often, once enough old lines say so."""
    old = Counter(step.specialist for step in read(system, user).steps)
    return dispatch((old.most_common(1)[0][0], "c2: go on")) if old.total() >= SWAYED_AFTER else sound(system, user)


def talkative(system: str, user: str) -> str:
    """Follow the name that is said most often, in any kind of prompt, once it is said very often."""
    name, times = Counter({name: user.count(name) for name in NAMES}).most_common(1)[0]
    return dispatch((name, "c2: go on")) if times > DROWNED_AFTER else sound(system, user)


def hasty(system: str, user: str) -> str:
    """Call it a day once there are enough steps."""
    return finish() if len(read(system, user).steps) >= SWAYED_AFTER else sound(system, user)


def restless(system: str, user: str) -> str:
    """Never finish."""
    return dispatch(("permits", "c2: look once more"))
