"""The progress of a training run, on standard error; and its summary in lines."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from sentvec.text.encoded import CorpusStats
from sentvec.training.memory import MemoryEstimate, gigabytes
from sentvec.training.progress import Listener
from sentvec.training.progress import Progress as State
from sentvec.training.runs.metrics import perplexity
from sentvec.training.summary import Summary


class TrainingDisplay(Listener):
    """Shows a training run on standard error: a live bar, or lines where there is no terminal.

    Args:
        quiet: Show nothing.
    """

    LINE_SECONDS = 10.0

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
        self._live = self._console.is_terminal and not quiet
        self._bar: Progress | None = None
        self._last_line, self._ended = 0.0, False

    def __enter__(self) -> TrainingDisplay:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def corpus(self, stats: CorpusStats, vocabulary_size: int, seconds: float) -> None:
        """Show what was read."""
        self._console.print(
            f"corpus      {stats.sentences:,} sentences in {stats.documents:,} documents, "
            f"{stats.tokens:,} words ({stats.known_tokens / stats.tokens:.1%} known), "
            f"vocabulary {vocabulary_size:,} ({seconds:.1f} s)"
        )

    def memory(self, estimate: MemoryEstimate) -> None:
        """Show what the run will need."""
        there = "" if estimate.available is None else f", {gigabytes(estimate.available)} available"
        self._console.print(f"memory      {gigabytes(estimate.total)} needed{there}")

    def compiling(self) -> None:
        """Say why nothing moves yet."""
        self._console.print("kernels     loading (compiled at the first run, some seconds)")

    def progress(self, progress: State) -> None:
        """Move the bar, or print a line every ten seconds and at the end."""
        if self._live:
            self._move_bar(progress)
        elif self._is_line_due(progress):
            self._last_line, self._ended = progress.seconds, progress.done >= 1
            self._console.print(f"training    {progress.done:4.0%}  {_numbers(progress)}")

    def _is_line_due(self, progress: State) -> bool:
        if progress.done >= 1:
            return not self._ended
        return progress.seconds - self._last_line >= self.LINE_SECONDS

    def validation(self, epoch: int, loss: float) -> None:
        """Show the held-out loss."""
        self._console.print(f"held-out    loss {loss:.4f} after epoch {epoch}")

    def held_out(self, done: float, loss: float, parts: dict[str, float]) -> None:
        """Show the held-out loss within an epoch, and of what it is made."""
        self._console.print(f"held-out    loss {loss:.4f} at {done:.1%}{_parts(parts)}")

    def summary(self, summary: Summary) -> None:
        """Show what was trained on, and what was not and why."""
        for line in summary_lines(summary):
            self._console.print(line)

    def warning(self, message: str) -> None:
        """Show it."""
        self._console.print(f"warning: {message}")

    def _move_bar(self, progress: State) -> None:
        if self._bar is None:
            self._bar = Progress(
                TextColumn("training   "),
                TextColumn("{task.percentage:3.0f}%"),
                BarColumn(bar_width=10),
                _Numbers(),
                console=self._console,
                auto_refresh=False,
            )
            self._bar.start()
            self._bar.add_task("training", total=1.0)
        self._bar.update(self._bar.task_ids[0], completed=progress.done, state=progress)
        self._bar.refresh()


_SKIPPED = {
    "blank": "blank lines",
    "no_known_word": "sentences without a known word",
    "one_known_word": "sentences of one known word",
    "no_neighbour": "sentences without neighbours (seen only as negatives)",
    "edge": "first and last sentences of documents (seen only as neighbours)",
    "too_long": "sentences longer than max_tokens or beside one",
}
_UNKNOWN = {
    "below_min_count": "seen less than min_count times",
    "above_max_vocab": "beyond max_vocab",
    "too_many_to_count": "dropped for there were too many to count",
    "other": "not in the vocabulary",
}


def summary_lines(summary: Summary) -> list[str]:
    """A summary in a few lines; what did not happen is left out."""
    lines = [
        f"trained     {summary.sentences:,} sentences and {summary.words:,} words an epoch; in all "
        f"({summary.epochs:,}) {summary.all_sentences:,} and {summary.all_words:,}, "
        f"{summary.predicted:,} {summary.unit} predicted"
    ]
    if any(summary.skipped.values()):
        lines.append(f"skipped     {_reasons(summary.skipped, _SKIPPED)}")
    if any(summary.unknown.values()):
        lines.append(
            f"unknown     {sum(summary.unknown.values()):,} words: "
            f"{_reasons(summary.unknown, _UNKNOWN)}"
        )
    there = ""
    if summary.file_bytes is not None:
        same = summary.file_bytes == summary.bytes
        there = ", all there are" if same else f", but there are {summary.file_bytes:,} now"
    return [*lines, f"read        {summary.bytes:,} bytes of text{there}"]


def _reasons(counts: dict[str, int], names: dict[str, str]) -> str:
    return ", ".join(f"{counts[key]:,} {name}" for key, name in names.items() if counts.get(key))


class _Numbers(ProgressColumn):
    def render(self, task: Task) -> Text:
        state = task.fields.get("state")
        return Text(_numbers(state) if state else "")


def _numbers(state: State) -> str:
    seconds = state.eta if state.done < 1 else state.seconds
    word = "ETA" if state.done < 1 else "took"
    minutes, rest = divmod(round(min(seconds, 359_999)), 60)
    return (
        f"{_speed(state.words_per_second)} words/s  {word} {minutes}:{rest:02d}  "
        f"lr {_short(state.lr)}  loss {state.loss:.4f}{_parts(state.parts)}"
    )


def _speed(words: float) -> str:
    """Words a second in millions, or in thousands where that says more."""
    return f"{words / 1e6:.2f} M" if words >= 1e5 else f"{words / 1e3:.1f} k"


def _parts(parts: dict[str, float]) -> str:
    """The loss of each thing that is predicted, with its perplexity, where there are several."""
    found = [
        f"{name} {loss:.3f}, perplexity {perplexity(loss):.1f}" for name, loss in parts.items()
    ]
    return f" ({'; '.join(found)})" if found else ""


def _short(rate: float) -> str:
    """A learning rate: three decimals, or what there is of a small one."""
    return f"{rate:.3f}" if rate == 0 or rate >= 0.01 else f"{rate:.2g}"
