"""The record of a run: results by task, what could not be run, and the provenance of the figures.

Not here: reading, writing and printing it (`report`), tables (`tables`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sentvec.errors import SettingsError
from sentvec.evaluation.reports.results import TaskResult
from sentvec.suggest import near_names


@dataclass(frozen=True, eq=False, repr=False)
class Record(Mapping[str, TaskResult]):
    """Results by the name of the task: `report["STS14"].pearson`.

    Attributes:
        results: The result of each task that was tried, in the order of the run.
        missing: By name, why the other tasks could not be run.
        provenance: The model, the settings and the versions.
        seconds: How long each task took; not part of the JSON.
    """

    results: dict[str, TaskResult]
    missing: dict[str, str]
    provenance: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)

    def __getitem__(self, name: str) -> TaskResult:
        """The result of a task.

        Raises:
            SettingsError: The task was not run; the message says why.
        """
        if name in self.results:
            return self.results[name]
        why = self.missing.get(name) or near_names(name, self.results)
        msg = f"the report has no task {name!r} - {why}"
        raise SettingsError(msg)

    def get(self, name: str, default: Any = None) -> Any:
        """The result of a task, or the default where it was not run."""
        return self.results.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self.results

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def name(self) -> str:
        """The name of the model."""
        return str(self.provenance.get("model", {}).get("name", "?"))

    @property
    def protocol(self) -> str:
        """The protocol of the classification tasks: `paper`, `senteval` or `quick`."""
        return str(self.provenance.get("protocol", "?"))

    def value(self, key: str) -> float | None:
        """A figure by its key, `TASK/metric` or `TASK/set/metric`; `None` if there is none."""
        task, _, rest = key.partition("/")
        return self.results[task].value(rest) if task in self.results else None
