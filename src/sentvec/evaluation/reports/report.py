"""The report of a run: its record, read and written as JSON, and shown to people.

The JSON of a report is a function of model, data and settings alone: it holds no times, no dates
and no paths, so the same run gives the same bytes.

Not here: what a record holds (`record`), tables (`tables`), documents (`markdown`), comparing two
reports (`compare`).
"""

from __future__ import annotations

import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sentvec.errors import FormatError, SourceError
from sentvec.evaluation.reports.markdown import to_markdown
from sentvec.evaluation.reports.record import Record
from sentvec.evaluation.reports.results import TaskResult
from sentvec.evaluation.reports.summary import summary
from sentvec.version import VERSION

_FORMAT = 1  # of the JSON
_KIND = "sentvec evaluation report"


class Report(Record):
    """Results by the name of the task: `report["STS14"].pearson`.

    Attributes:
        results: The result of each task that was tried, in the order of the run.
        missing: By name, why the other tasks could not be run.
        provenance: The model, the settings and the versions.
        seconds: How long each task took; not part of the JSON.
    """

    def __str__(self) -> str:
        """A table of the figures that fits a screen."""
        return summary(self)

    def __repr__(self) -> str:
        tasks = ", ".join(self.results) or "no tasks"
        return f"<Report of {self.name!r}, protocol {self.protocol}: {tasks}>"

    def to_markdown(self) -> str:
        """The report as a Markdown document, with the papers' figures beside ours."""
        return to_markdown(self)

    def to_json(self) -> str:
        """The report as JSON; `Report.from_json` reads it."""
        values = {
            "kind": _KIND,
            "format": _FORMAT,
            **self.provenance,
            "missing": self.missing,
            "tasks": {name: result.to_json() for name, result in self.results.items()},
        }
        return json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str = "the report") -> Report:
        """Read what `to_json` wrote.

        Raises:
            FormatError: The text is no report; `name` is what the message calls it.
        """
        try:
            values = json.loads(text)
            if values["kind"] != _KIND or values["format"] > _FORMAT:
                msg = f"kind {values['kind']!r}, format {values['format']!r}"
                raise ValueError(msg)
            tasks = {task: TaskResult.from_json(task, one) for task, one in values["tasks"].items()}
            missing = dict(values["missing"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = f"{name} is no evaluation report ({type(error).__name__}: {error}) - expected "
            raise FormatError(msg + "what sentvec evaluate --json writes") from error
        own = ("kind", "format", "missing", "tasks")
        return cls(tasks, missing, {key: one for key, one in values.items() if key not in own})

    @classmethod
    def read(cls, path: str | Path) -> Report:
        """Read the JSON file of a report.

        Raises:
            SourceError: The file cannot be read.
            FormatError: The file is no report.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            msg = f"{path} cannot be read ({error.strerror or error}) - expected a report in JSON"
            raise SourceError(msg) from error
        except UnicodeDecodeError as error:
            msg = f"{path} is not UTF-8 text - expected a report in JSON"
            raise FormatError(msg) from error
        return cls.from_json(text, str(path))


def versions() -> dict[str, str]:
    """The versions that figures may depend on."""
    found = {"sentvec": VERSION, "python": platform.python_version()}
    for package in ("numpy", "scipy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # installed by other means than a package manager
            found[package] = "?"
    return found
