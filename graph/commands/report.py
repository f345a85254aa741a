"""`report`: one self-contained HTML page of a ledger file."""

import argparse
import asyncio
import sys

from graph.board.report import report_html
from graph.files import load


async def main(options: argparse.Namespace) -> int:
    """Write the page."""
    file = await asyncio.to_thread(load, options.file)
    page = report_html(file)
    await asyncio.to_thread(options.output.write_text, page, "utf-8")
    sys.stdout.write(f"{options.output}: {len(page.encode()) // 1024 + 1} KB\n")
    return 0
