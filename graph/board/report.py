"""The static report: the board's page of one run as a single HTML file that fetches nothing."""

from graph.board.pages import render
from graph.board.view import page_of
from graph.files import LedgerFile


def report_html(file: LedgerFile) -> str:
    """Return the page of a ledger file."""
    return render("run.html", static=True, page=page_of(file))
