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
from sentvec.wording import counted


class TrainingDisplay(Listener):
    """Shows a training run on standard error: a live bar, or lines if it is not a terminal.

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
        """Show the size of the corpus."""
        self._console.print(
            f"corpus      {counted(stats.sentences, 'sentence')} in "
            f"{counted(stats.documents, 'document')}, {counted(stats.tokens, 'word')} ("
            f"{stats.known_tokens / stats.tokens:.1%} known), "
            f"vocabulary of {counted(vocabulary_size, 'word')} ({seconds:.1f} s)"
        )

    def memory(self, estimate: MemoryEstimate) -> None:
        """Show the memory that the run needs."""
        there = "" if estimate.available is None else f", {gigabytes(estimate.available)} available"
        self._console.print(f"memory      {gigabytes(estimate.total)} needed{there}")

    def compiling(self) -> None:
        """Say why nothing moves yet."""
        self._console.print(
            "kernels     loading (the first run compiles them, which takes some seconds)"
        )

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
        """Show the held-out loss within an epoch, and its parts."""
        self._console.print(f"held-out    loss {loss:.4f} at {done:.1%}{_parts(parts)}")

    def summary(self, summary: Summary) -> None:
        """Show what the run was trained on, and what was skipped and why."""
        for line in summary_lines(summary):
            self._console.print(line)

    def warning(self, message: str) -> None:
        """Show a warning."""
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
    "blank": ("blank line", ""),
    "no_known_word": ("sentence", " without a known word"),
    "one_known_word": ("sentence", " of one known word"),
    "no_neighbour": ("sentence", " without neighbours (used only as negatives)"),
    "edge": ("sentence", " at an end of a document (used only as neighbours)"),
    "too_long": ("sentence", " longer than max_tokens or beside one that is"),
}
_UNKNOWN = {
    "below_min_count": "seen less than min_count times",
    "above_max_vocab": "beyond max_vocab",
    "too_many_to_count": "dropped while counting, as there were too many",
    "other": "not in the vocabulary",
}


def summary_lines(summary: Summary) -> list[str]:
    """A summary in a few lines; zero counts are left out."""
    lines = [
        f"trained     {counted(summary.sentences, 'sentence')} and {counted(summary.words, 'word')}"
        f" per epoch; {counted(summary.all_sentences, 'sentence')} and "
        f"{counted(summary.all_words, 'word')} in {counted(summary.epochs, 'epoch')}, "
        f"{counted(summary.predicted, summary.unit.removesuffix('s'))} predicted"
    ]
    if any(summary.skipped.values()):
        reasons = [
            counted(summary.skipped[key], noun) + rest
            for key, (noun, rest) in _SKIPPED.items()
            if summary.skipped.get(key)
        ]
        lines.append(f"skipped     {', '.join(reasons)}")
    if any(summary.unknown.values()):
        reasons = [
            f"{summary.unknown[key]:,} {why}"
            for key, why in _UNKNOWN.items()
            if summary.unknown.get(key)
        ]
        words = counted(sum(summary.unknown.values()), "word")
        lines.append(f"unknown     {words}: {', '.join(reasons)}")
    return [*lines, f"read        {_text_read(summary)}"]


def _text_read(summary: Summary) -> str:
    """How much of the text was read, where the size of the files is known."""
    size = counted(summary.bytes, "byte")
    if summary.file_bytes is None:
        return f"{size} of text"
    if summary.file_bytes == summary.bytes:
        return f"the whole text ({size})"
    return f"{size} of text, but the files hold {summary.file_bytes:,} now"


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
    """Words per second in millions, or in thousands if they are few."""
    return f"{words / 1e6:.2f} M" if words >= 1e5 else f"{words / 1e3:.1f} k"


def _parts(parts: dict[str, float]) -> str:
    """The running loss of each kind of prediction, with its perplexity, if there are several."""
    found = [
        f"{name} {loss:.3f}, perplexity {perplexity(loss):.1f}" for name, loss in parts.items()
    ]
    return f" ({'; '.join(found)})" if found else ""


def _short(rate: float) -> str:
    """A learning rate: three decimals, or two digits of a small one."""
    return f"{rate:.3f}" if rate == 0 or rate >= 0.01 else f"{rate:.2g}"
