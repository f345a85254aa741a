"""The instruments stay cheap."""

import pytest

from tests.bench.instruments import instruments


@pytest.mark.slow
def test_instruments_take_less_than_three_percent_of_a_hop_and_ten_with_telemetry() -> None:
    shares = instruments()
    assert shares["share_off"] < 0.03, shares
    assert shares["share_on"] < 0.10, shares
