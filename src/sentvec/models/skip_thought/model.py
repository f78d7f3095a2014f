"""Skip-Thought: a GRU that reads a sentence, trained to predict the sentences around it.

Kiros et al., "Skip-Thought Vectors", NIPS 2015. Here: from settings and a corpus to a trained
model. Encoding is in `skip_thought_encoder`, the run in `skip_thought_run`, the network in
`networks`, checkpoints in `run`.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sentvec.models.skip_thought.encoder import SkipThoughtEncoder
from sentvec.models.skip_thought.run import train_to_end
from sentvec.models.skip_thought.settings import SkipThoughtSettings
from sentvec.models.skip_thought.trainer import memory_of, resolved
from sentvec.networks import require_torch
from sentvec.text.encoded import EncodedCorpus
from sentvec.text.sources import CorpusLike, open_corpus
from sentvec.text.tokenizer import Tokenizer
from sentvec.training.progress import Listener
from sentvec.training.runs.plan import Plan
from sentvec.training.runs.run import Run, train_run

if TYPE_CHECKING:
    from sentvec.models.skip_thought.generation import Generated

_MIN_WORDS = 2  # of a vocabulary


class SkipThought(SkipThoughtEncoder):
    """Sentence vectors as the last state of a GRU that has read the words in their order.

    Needs torch (`pip install 'sentvec[torch]'`).

        model = SkipThought.train("books.txt", output="model", validate="heldout.txt")
        model.encode(["she opened the letter", "and read it"]).shape     # (2, 600)
    """

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
        memory_of(chosen, _MIN_WORDS).check(at_least=True)
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
        return train_to_end(run)

    def generate(
        self,
        text: str,
        *,
        direction: str = "next",
        beam: int | None = None,
        sample: float | None = None,
        count: int = 1,
        max_tokens: int | None = None,
        seed: int = 1,
    ) -> list[Generated]:
        """Write the sentence after a text, or the one before it.

        By beam search for the likeliest sentence, or by drawing words at random. Only words the
        model was trained with are written, never the unknown word.

            model.generate("she opened the letter")[0].text
            model.generate("she opened the letter", sample=0.7, count=3, seed=5)

        Args:
            text: One sentence.
            direction: `next` or `previous`.
            beam: Search with so many hypotheses; 1 takes the likeliest word each time. Without it
                and `sample` it is 5, or `count` where that is more.
            sample: Draw words at this temperature: 1 draws as the model says, lower values draw
                likelier words.
            count: How many sentences to write, at most `beam`.
            max_tokens: The most words of a sentence; one that has not ended by then is cut off.
                Without it, that of training: the model has seen no longer ones.
            seed: Of the draws.

        Returns:
            `count` sentences, the likeliest first where they were searched for and finished ones
            before others; fewer where the search does not find as many.

        Raises:
            MissingExtraError: torch is not installed.
            SettingsError: An argument cannot work, or the model has no decoders or is combined.
            InputTypeError: `text` is no str.
            EmptyTextError: It has no known word.
            FormatError: The model is damaged: probabilities are not finite.
        """
        from sentvec.models.skip_thought.generation import generate  # which knows this class

        return generate(
            self, text, direction=direction, beam=beam, sample=sample, count=count,
            max_tokens=max_tokens, seed=seed,
        )  # fmt: skip

    @cached_property
    def _decoders(self) -> dict[str, Any]:
        from sentvec.models.skip_thought.generation import decoders_of

        return decoders_of(self)
