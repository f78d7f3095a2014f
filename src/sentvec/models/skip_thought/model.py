"""Skip-Thought: a GRU that reads a sentence, trained to predict the sentences around it.

Kiros et al., "Skip-Thought Vectors", NIPS 2015. Encoding is in `encoder`, training in `trainer`,
writing sentences in `generation`, the network in `networks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, Unpack

from sentvec.models.kinds.trainable import Trainable
from sentvec.models.skip_thought.encoder import SkipThoughtEncoder
from sentvec.models.skip_thought.generation import Generated, generate
from sentvec.models.skip_thought.settings import SkipThoughtOptions
from sentvec.text.sources import CorpusLike


class SkipThought(Trainable, SkipThoughtEncoder):
    """Sentence vectors as the last state of a GRU that has read the words in their order.

    Needs torch (`pip install 'sentvec[torch]'`).

        model = SkipThought.train("books.txt", output="model", validate="heldout.txt")
        model.encode(["she opened the letter", "and read it"]).shape     # (2, 600)
    """

    if TYPE_CHECKING:  # the settings by name; what it does is in `Trainable`

        @classmethod
        def train(  # type: ignore[override]  # noqa: D102
            cls, corpus: CorpusLike, **options: Unpack[SkipThoughtOptions]
        ) -> Self: ...

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

        By beam search for the most probable sentence, or by drawing words at random. Only words the
        model was trained with are written, never the unknown word.

            model.generate("she opened the letter")[0].text
            model.generate("she opened the letter", sample=0.7, count=3, seed=5)

        Args:
            text: One sentence.
            direction: `next` or `previous`.
            beam: Beam width; 1 takes the most probable word each time. Without it
                and `sample` it is 5, or `count` where that is more.
            sample: Draw words at this temperature: 1 draws as the model says, lower values draw
                likelier words.
            count: How many sentences to write, at most `beam`.
            max_tokens: The most words of a sentence; one that has not ended by then is cut off.
                Without it, that of training: the model has seen no longer ones.
            seed: Of the draws.

        Returns:
            `count` sentences, the most probable first where they were searched for, and
            finished ones before others; fewer where the search finds fewer.

        Raises:
            MissingExtraError: torch is not installed.
            SettingsError: An argument cannot work, or the model has no decoders or is combined.
            InputTypeError: `text` is no str.
            EmptyTextError: It has no known word.
            FormatError: The model is damaged: probabilities are not finite.
        """
        return generate(
            self, text, direction=direction, beam=beam, sample=sample, count=count,
            max_tokens=max_tokens, seed=seed,
        )  # fmt: skip
