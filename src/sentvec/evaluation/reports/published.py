"""What a table of a paper is: its columns, its cells as printed, its source.

Figures are copied digit by digit. A figure of a paper that we do not have is `NOT_AVAILABLE`, never
a number from memory; "-" is an empty cell of the paper itself.

Not here: the tables (`sent2vec_tables`, `skip_thought_tables`), our figures, and how both are put
together (`tables`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

NOT_AVAILABLE = "not available"

# Of the 20 sets of the Siamese CBOW paper we have one figure.
SIAMESE_CBOW = {"STS14/tweet-news/pearson": "0.7315"}
SIAMESE_CBOW_SOURCE = "Kenter, Borisov and de Rijke 2016, Siamese CBOW"

Style: TypeAlias = Literal["per cent", ".00", "0.000", "0.0000", "whole"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        heading: Its name in the paper.
        keys: The one or two figures in a cell (see `Report.value`).
        style: How the paper prints them.
        between: The separator of two figures.
    """

    heading: str
    keys: tuple[str, ...]
    style: Style
    between: str = " / "


@dataclass(frozen=True, slots=True)
class Published:
    """A table of a paper.

    Attributes:
        title: What it shows.
        source: The paper and the table.
        columns: After the first, which names the model.
        rows: Model, and a cell for each column, as printed.
        note: What readers should know.
    """

    title: str
    source: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def cell(self, model: str, heading: str) -> str:
        """The cell of a model in a column."""
        place = [column.heading for column in self.columns].index(heading) + 1
        return next(row[place] for row in self.rows if row[0] == model)


def rows_of(text: str, n_columns: int) -> tuple[tuple[str, ...], ...]:
    """Cut a table into cells; `?` is a cell that is not available, `? ...` a row of them."""
    rows = []
    for line in text.strip().split("\n"):
        model, *cells = [cell.strip() for cell in line.split("|")]
        if cells == ["? ..."]:
            cells = ["?"] * n_columns
        assert len(cells) == n_columns, line
        rows.append((model, *(NOT_AVAILABLE if cell == "?" else cell for cell in cells)))
    return tuple(rows)
