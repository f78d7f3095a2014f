"""Skip-Thought: a GRU that reads a sentence, trained to predict the sentences around it.

Kiros et al., "Skip-Thought Vectors", NIPS 2015. Here: the model, and from settings and a corpus to
a trained one. The network is in `networks`, the worker in `skip_thought_trainer`, the loop in
`training.loop`, checkpoints in `run`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import DivergedError
from sentvec.models.base import OnEmpty, Texts, Vectors
from sentvec.models.card import model_card
from sentvec.models.lazy import LazyMatrix, LazyRows
from sentvec.models.opened import check_parts
from sentvec.models.plan import Plan
from sentvec.models.run import Run, train_run
from sentvec.models.skip_thought_parts import Part, check_parts_of, parts_of
from sentvec.models.skip_thought_settings import SkipThoughtSettings
from sentvec.models.skip_thought_trainer import Worker, memory_of, resolved, shape_of, triples_of
from sentvec.models.stored import StoredEncoder
from sentvec.networks import require_torch
from sentvec.networks.shape import END, FIRST_WORD, UNKNOWN
from sentvec.rows import DenseRows, MovedRows, Rows
from sentvec.storage.folder import ModelFolder, write_folder
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.sources import CorpusLike, open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training import matrices
from sentvec.training.batches import Schedule
from sentvec.training.progress import Listener
from sentvec.training.summary import Trained

_FEWEST_WORDS = 2  # of a vocabulary
# Where tables are in another order than ours, as those of other programs: int64, a row's place.
WORD_ROWS = "word_rows"


class SkipThought(StoredEncoder):
    """Sentence vectors as the last state of a GRU that has read the words in their order.

    Needs torch (`pip install 'sentvec[torch]'`).

        model = SkipThought.train("books.txt", output="model", validate="heldout.txt")
        model.encode(["she opened the letter", "and read it"]).shape     # (2, 600)
    """

    KIND = "skip-thought"

    @classmethod
    def train(
        cls,
        corpus: CorpusLike,
        *,
        preset: str | None = None,
        output: str | os.PathLike[str] | None = None,
        checkpoint_every: str | None = None,
        validate: CorpusLike | None = None,
        validate_every: str | None = None,
        patience: int | None = None,
        listener: Listener | None = None,
        work_dir: str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> SkipThought:
        """Train a model on running text, one sentence a line, in order.

        Sentences are neighbours within a document only: a blank line (or the end of a file) ends
        one. The arguments that are not here are as in `Sent2Vec.train`.

        Args:
            corpus: A path, a glob, a list of paths (plain, .gz, .xz, .bz2 or .zst), or an iterable
                of str with one sentence each, an empty one between documents.
            preset: Where settings start from: `skip-thought`, `paper/uni-skip`, `paper/bi-skip`.
            output: Folder for the model, and for checkpoints while it is trained.
            checkpoint_every: Also write a checkpoint every so often: `10m`, `2h`, `5%`.
            validate: Held-out text in documents; its loss is reported after every epoch.
            validate_every: Also measure the held-out loss every so often: `10m`, `5%`.
            patience: End the training after so many epochs without a better held-out loss, and
                keep the best parameters.
            listener: Hears about the corpus, the memory and the progress.
            work_dir: Without `output`, where the encoded corpus is kept while training.
            **settings: Fields of `SkipThoughtSettings`: encoder, dim, word_dim, epochs, lr, batch,
                gru, decoder, softmax, device, threads, seed and so on. Those not given come from
                the preset.

        Raises:
            MissingExtraError: torch is not installed.
            SettingsError, CorpusError, SourceError: Something given cannot work; nothing was done.
            StorageError: The output or the encoded corpus cannot be written, or another run is at
                work on that output.
            NotEnoughMemoryError: More memory is needed than there is.
            DivergedError: The loss is no longer finite; the last checkpoint is kept.
        """
        chosen = SkipThoughtSettings.make(preset, **settings)
        require_torch()
        resolved(chosen)  # whether the device is there
        tokenizer = Tokenizer(chosen.tokenizer)
        tokenizer.check_available()
        memory_of(chosen, _FEWEST_WORDS).check(at_least=True)
        plan = Plan.make(
            output, checkpoint_every, validate, patience, work_dir, validate_every=validate_every
        )
        model: SkipThought = train_run(
            cls, open_corpus(corpus), tokenizer, chosen.to_config(), plan, listener or Listener(),
            min_count=chosen.min_count, max_vocab=chosen.max_vocab, unknown=True,
        )  # fmt: skip
        return model

    @classmethod
    def _resolved(cls, settings: dict[str, Any], corpus: EncodedCorpus) -> dict[str, Any]:
        return resolved(SkipThoughtSettings.from_config(settings)).to_config()

    @classmethod
    def _go_on(cls, run: Run) -> tuple[dict[str, Any], dict[str, Any]]:
        """Train a run to its end; returns the tensors and what `config.json` says of them."""
        require_torch()
        from sentvec.networks.inference import using_threads
        from sentvec.networks.learner import device_named

        settings = SkipThoughtSettings.from_config(run.settings)
        device_named(settings.device)  # a run may go on elsewhere
        n_words = len(run.corpus.vocabulary)
        triples = triples_of(run.corpus, settings)
        run.words, middles = int(triples.lengths.sum()), len(triples.middles)
        edges = run.corpus.stats.sentences - middles - triples.too_long
        skipped = {"edge": edges, "too_long": triples.too_long}
        run.trained = Trained(middles, run.words, skipped)
        need = memory_of(settings, n_words)
        run.listener.memory(need)
        if settings.device == "cpu":
            need.check()
        schedule = Schedule(
            settings.epochs, settings.lr, settings.shuffle, settings.seed, 1, settings.decay
        )
        with using_threads(settings.threads or 1):
            worker = Worker(triples, settings, n_words, schedule)
            arrays = worker.learner.arrays()
            restored = run.restored({name: (*a.shape, str(a.dtype)) for name, a in arrays.items()})
            if restored is not None:
                worker.learner.restore(dict(zip(arrays, restored, strict=True)))
                arrays = worker.learner.arrays()
            end = run.train(
                schedule,
                lambda number: worker,
                arrays,
                untrained_loss=float(np.log(n_words + FIRST_WORD)),
                evaluate=worker.evaluate,
                dealt=triples,
                parts=worker.parts,
                collect=lambda: worker.learner.collect(arrays),
            )
        shape = shape_of(settings, n_words)
        tensors = {name: arrays[name].reshape(size) for name, size in shape.tensors().items()}
        for name in tensors:
            if matrices.first_row_not_finite(arrays[name]) is not None:
                msg = f"training diverged: {name} is not finite at the end - lower lr"
                raise DivergedError(msg)
        sizes = {"dim": settings.dim, "vocabulary": n_words, "word_dim": settings.word_dim,
                 "trained_words": n_words}  # fmt: skip
        training = {"loss": round(end.mean_loss, 6), "seconds": round(end.seconds, 2)}
        return tensors, {
            "sizes": sizes, "training": training, "parts": [Part(shape).to_config()],
            "encoding": {"end_token": True, "normalize_parts": False},
        }  # fmt: skip

    @classmethod
    def _checked_folder(cls, opened: ModelFolder) -> Tokenizer:
        tokenizer = check_parts(opened)
        check_parts_of(opened)
        return tokenizer

    def without_targets(self) -> SkipThought:
        """The same model without decoders and output layer: it encodes, and cannot generate."""
        parts = [replace(part, decoders=False) for part in self.parts]
        rows = len(self.vocabulary) + FIRST_WORD
        kept = [name for part in parts for name in part.tensors(rows)]
        vocabulary, tensors = self.vocabulary, self.ordered_tensors()
        return SkipThought(
            vocabulary=lambda: vocabulary, tokenizer=self.tokenizer,
            tensors={name: tensors[name] for name in kept},
            config={**self.config, "parts": [part.to_config() for part in parts]},
        )  # fmt: skip

    @property
    def parts(self) -> list[Part]:
        """The encoders whose vectors are concatenated: one, or those of `combine`."""
        return parts_of(self.config)

    def encode(
        self,
        texts: str | Texts,
        *,
        normalize: bool = False,
        on_empty: OnEmpty = "zero",
        threads: int = 1,
        return_known: bool = False,
        end_token: bool | None = None,
        normalize_parts: bool | None = None,
    ) -> Any:
        """Turn text into vectors: the state of the encoder after the last word.

        Unknown words are read as one word that stands for all of them. A text's vector does not
        depend on the texts beside it, but for the rounding of sums.

        Args:
            texts: One text, or any ordered iterable of texts (a generator is fine). A line break
                inside a text is white space.
            normalize: Scale each vector to length 1.
            on_empty: What a text without a known word becomes: a row of zeros (`zero`, with an
                `EmptyTextWarning`), of NaN (`nan`), or an `EmptyTextError` (`raise`).
            threads: Threads for the arithmetic.
            return_known: Also return how many known tokens each row was made from.
            end_token: Read the end of the sentence after its words, as in training. By default as
                the model says: yes for one trained here, no for the released files, whose program
                does not.
            normalize_parts: Scale the vector of each part (of a combined model) to length 1; by
                default as the model says.

        Returns:
            float32 (dim,) for a str, (n, dim) otherwise; with `return_known` a tuple of that and an
            int, or int64 (n,).

        Raises:
            MissingExtraError: torch is not installed.
            InputTypeError: `texts` is bytes, None, a set, or holds something that is no str.
            EmptyTextError: A text has no known word and `on_empty` is `raise`.
        """
        return self._encode_checked(
            texts, normalize=normalize, on_empty=on_empty, threads=threads,
            return_known=return_known, end_token=end_token, normalize_parts=normalize_parts,
        )  # fmt: skip

    def _encode(
        self, texts: list[str], threads: int, **options: Any
    ) -> tuple[Vectors, NDArray[np.int64]]:
        require_torch()
        from sentvec.networks.inference import using_threads

        with using_threads(threads):  # they share the work on a batch, not the batches
            return super()._encode(texts, 1, **options)

    def _encode_batch(
        self,
        texts: list[str],
        end_token: bool | None = None,
        normalize_parts: bool | None = None,
        **_: Any,
    ) -> tuple[Vectors, NDArray[np.int64]]:
        defaults = self.config["encoding"]
        ended = defaults["end_token"] if end_token is None else end_token
        scaled = defaults["normalize_parts"] if normalize_parts is None else normalize_parts
        rows = [self._rows_of(text) for text in texts]
        known = np.array([np.count_nonzero(row != UNKNOWN) for row in rows], np.int64)
        vectors = np.zeros((len(texts), self.dim), np.float32)
        there = np.flatnonzero(known)
        if len(there):
            end = np.full(int(ended), END)
            read = [np.concatenate([rows[i], end]) for i in there]
            lengths = np.array([len(row) for row in read])
            flat = np.concatenate(read)
            vectors[there] = np.hstack(
                [_scaled(encoder.vectors(flat, lengths), scaled) for encoder in self._encoders]
            )
        return vectors, known

    def _rows_of(self, text: str) -> NDArray[np.int64]:
        """The rows of the word vectors for the words of a text."""
        get = self.vocabulary.ids.get
        rows = [get(word, UNKNOWN - FIRST_WORD) for word in self.tokenizer.tokenize(text)]
        return np.array(rows, np.int64) + FIRST_WORD

    @cached_property
    def _encoders(self) -> list[Any]:
        from sentvec.networks.inference import Encoder

        found = []
        for part in self.parts:
            arrays = {name: self.tensors[part.prefix + name]
                      for name in part.shape.encoder_tensors()}  # fmt: skip
            found.append(Encoder(part.shape, arrays, self.table_of(part).take))
        return found

    def table_of(self, part: Part) -> Rows:
        """The word vectors of a part in our order: end, unknown, then the words."""
        matrix: Any = self.tensors[part.prefix + "word_vectors"]
        table = LazyRows(matrix) if isinstance(matrix, LazyMatrix) else DenseRows(matrix)
        places = self.tensors.get(WORD_ROWS)
        return table if places is None else MovedRows(table, places)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model folder; an older model there is replaced, anything else is refused.

        Raises:
            StorageError: The folder cannot be written; what stood there is unchanged.
        """
        card = model_card(Path(folder).name, self.config)
        write_folder(folder, self.config, self.vocabulary, self.ordered_tensors(), card)

    def ordered_tensors(self) -> dict[str, Any]:
        """The tensors with word vectors in our order, as they are saved."""
        tensors: dict[str, Any] = dict(self.tensors)
        if tensors.pop(WORD_ROWS, None) is not None:
            for part in self.parts:
                rows = self.table_of(part)
                tensors[part.prefix + "word_vectors"] = LazyMatrix(
                    np.arange(rows.shape[0]), rows.take, rows.shape[1], np.dtype("f4")
                )
        return tensors


def _scaled(vectors: Vectors, wanted: bool) -> Vectors:
    """Vectors of length 1, if wanted; those of length 0 stay."""
    if not wanted:
        return vectors
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
