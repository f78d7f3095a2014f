"""The estimated memory of Skip-Thought training, and the peak of a run of some batches.

    python benchmarks/memory/skip_thought_memory.py [words=20000] [batches=3] [dim=600] ...

Any setting of Skip-Thought may be given. All sentences have `max_tokens` words, drawn uniformly
from the vocabulary, which is what the estimate is for; running text needs less. The peak is
that of the process's own (anonymous) memory, read from /proc every 10 ms; Linux only.
"""

from __future__ import annotations

import re
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

from sentvec import SkipThoughtSettings, Tokenizer
from sentvec.models.skip_thought.trainer import SkipThoughtTrainer, memory_of
from sentvec.networks.inference import using_threads
from sentvec.text.encoded import encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.training.batches import Schedule

_SENTENCES = 1000


def own_memory() -> int:
    """Bytes of anonymous memory of this process."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    assert found
    return int(found[1]) << 10


def main() -> None:
    """Train some batches, and print both figures."""
    given: dict[str, Any] = {
        name: int(value) if value.isdigit() else value
        for name, value in (argument.split("=") for argument in sys.argv[1:])
    }
    words, batches = int(given.pop("words", 20_000)), int(given.pop("batches", 3))
    settings = SkipThoughtSettings(
        **{"min_count": 1, "max_vocab": None, "device": "cpu", "threads": 1, **given}
    )
    ended, peak = threading.Event(), [0]

    def watch() -> None:
        while not ended.wait(0.01):
            peak[0] = max(peak[0], own_memory())

    ids = np.random.default_rng(1).integers(0, words, (_SENTENCES, settings.max_tokens))
    ids.flat[: min(words, ids.size)] = np.arange(min(words, ids.size))
    schedule = Schedule(1, settings.lr, True, 1, 1)
    watcher = threading.Thread(target=watch)
    watcher.start()
    with tempfile.TemporaryDirectory() as name, using_threads(settings.threads or 1):
        text = Path(name) / "text.txt"
        text.write_text("".join(" ".join(f"w{i}" for i in row) + "\n" for row in ids))
        corpus = encode_corpus(
            open_corpus(text), Tokenizer("whitespace"), Path(name), min_count=1, unknown=True
        )
        trainer = SkipThoughtTrainer(settings, Tokenizer("whitespace"))
        data = trainer.data(corpus)
        [worker] = trainer.workers(data, [trainer.start(data)])
        dealt = data.batches(schedule)
        for _ in range(batches):
            batch = dealt.next_batch()
            assert batch is not None, "fewer batches than were asked for"
            worker(batch)
    ended.set()
    watcher.join()
    need = memory_of(settings, len(corpus.vocabulary)).total
    print(f"estimate {need / 1e6:.0f} MB, peak {peak[0] / 1e6:.0f} MB: {need / peak[0]:.2f}")


if __name__ == "__main__":
    main()
