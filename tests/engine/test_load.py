"""A second instance nearly doubles what waits for models, and nothing is lost or doubled on the way."""

from tests.engine.load import measure


async def test_two_instances_do_nearly_twice_the_work_of_one() -> None:
    one, two = [await measure(24, at_once=24, instances=number, slots=4, router=0.3, specialist=1.5) for number in (1, 2)]
    for figures in (one, two):
        assert (figures.errors, figures.lost_steps, figures.doubled_steps) == (0, 0, 0)
    assert two.runs_per_second >= 1.8 * one.runs_per_second, (one, two)
