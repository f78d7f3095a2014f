"""Tables of an evaluation on the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from sentvec.evaluation.reports.tables import Table

_WIDE = 160  # columns, if the output is not a terminal
_FIGURE = 16  # longest cell of a column of figures, which is right-aligned


def print_tables(tables: Iterable[Table]) -> None:
    """Print tables to standard output."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDE)
    for table in tables:
        console.print(_rich(table))
        for text in (table.source and f"source of the other figures: {table.source}", table.note):
            if text:
                console.print(f"  {escape(text)}", soft_wrap=True)
        console.print()


def _rich(table: Table) -> RichTable:
    result = RichTable(title=escape(table.title), title_justify="left", box=None, pad_edge=False)
    for number, heading in enumerate(table.headings):
        longest = max((len(row[number]) for row in table.rows), default=0)
        side: Literal["left", "right"] = "right" if number and longest <= _FIGURE else "left"
        result.add_column(escape(heading), justify=side, overflow="fold")
    for number, row in enumerate(table.rows):
        result.add_row(*map(escape, row), style="bold" if number < table.ours else None)
    return result
