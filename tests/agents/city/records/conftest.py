"""A sample city for all tests of this folder, and a folder of city files written by hand."""

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.city.records import Records, Site, locate_all, make_sample, open_records
from agents.city.records.layout import SOURCES
from agents.city.records.sample import sample_rows


@pytest.fixture(scope="session")
def city(tmp_path_factory: pytest.TempPathFactory) -> Records:
    path = tmp_path_factory.mktemp("city") / "records.db"
    make_sample(path)
    return open_records(path)


@pytest.fixture
def site(city: Records) -> Callable[[str], Site]:
    """Return the one site that a text names."""

    def only(text: str) -> Site:
        (located,) = locate_all(city, text)
        (found,) = located.sites
        return found

    return only


@pytest.fixture(scope="session")
def _written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for source in SOURCES:
        with (folder / source.file).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, source.columns, restval="", extrasaction="ignore")
            writer.writeheader()
            writer.writerows(sample_rows()[source.table])
    return folder


@pytest.fixture
def files(_written: Path, tmp_path: Path) -> Path:
    """Return a folder of the documented layout that a test may spoil."""
    return Path(shutil.copytree(_written, tmp_path / "files"))
