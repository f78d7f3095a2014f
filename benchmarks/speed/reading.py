"""How fast text becomes ids: words per second of one core, from file to encoded corpus.

python benchmarks/speed/reading.py books.txt --tokenizers whitespace simple
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from sentvec.text.encoded import encode_corpus
from sentvec.text.sources import open_corpus
from sentvec.text.tokenizer import Tokenizer


def seconds_and_words(path: str, tokenizer: str) -> tuple[float, int]:
    """CPU seconds and words of counting and encoding a file."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        corpus = encode_corpus(open_corpus(path), Tokenizer(tokenizer), Path(folder))
        return time.process_time() - start, corpus.stats.tokens


def main() -> None:
    """Print words per CPU second, median of the rounds, after one warm-up."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", help="a text file, one sentence a line")
    parser.add_argument("--tokenizers", nargs="+", default=["whitespace", "simple"])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for tokenizer in options.tokenizers:
        runs = [seconds_and_words(options.corpus, tokenizer) for _ in range(options.rounds + 1)]
        speed = statistics.median(words / seconds for seconds, words in runs[1:])
        print(f"{tokenizer:<12} {speed / 1e6:6.2f} M words per CPU second ({runs[0][1]:,} words)")


if __name__ == "__main__":
    main()
