"""StoredEncoder: a model that is kept in a folder, whatever it makes its vectors of.

A model is a vocabulary, a tokenizer, some tensors and a configuration. Here is what all kinds of
models do with these parts: open, save and pickle them, warn about letter case, and refuse what a
kind cannot do. How texts become vectors is for the classes that derive from it: those that average
the rows of a matrix are in `averaging`. Which kinds there are is in `models.kinds`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sentvec.errors import FormatError, SettingsError, SourceError
from sentvec.models.base.card import model_card
from sentvec.models.base.checks import check_tokenizer
from sentvec.models.base.encoder import TextEncoder, Vectors
from sentvec.models.base.results import Feature
from sentvec.storage.config import ModelConfig
from sentvec.storage.folder import ModelFolder, open_folder, write_folder
from sentvec.storage.rows import advise_access
from sentvec.text.letter_case import warn_about_case
from sentvec.text.tokenizer import Tokenizer
from sentvec.text.vocabulary import Vocabulary

# Opens a model of another program's file again, in another process too: a function of a module.
Reopen = Callable[[Path], "StoredEncoder"]


class StoredEncoder(TextEncoder):
    """A model of any kind: text in, float32 vectors out.

    Made by training or by `sentvec.load`, not by hand.

    A kind has a name in `KIND`, and says in `_encode_batch` what becomes of texts. It may refuse a
    folder in `_checked_folder`, and hold tensors back in `without_targets`.

    Attributes:
        tokenizer: Cuts text into words, as in training; another may be set, and is saved.
        tensors: The arrays of the model by name, read-only and mapped where it was loaded.
        config: What is known of the model: kind, settings, sizes, corpus, training ...
    """

    KIND: ClassVar[str]
    # What the loss of a run of this kind is the mean over, for the model card.
    PREDICTED: ClassVar[str] = "predicted word"

    def __init__(
        self,
        *,
        vocabulary: Callable[[], Vocabulary],
        tokenizer: Tokenizer,
        tensors: dict[str, NDArray[Any]],
        config: ModelConfig | Mapping[str, Any],
        origin: Path | None = None,
        reopen: Reopen | None = None,
    ) -> None:
        self._read_vocabulary = vocabulary
        self._tokenizer = tokenizer
        self.tensors = tensors
        self.config = ModelConfig.of(config)
        self._origin, self._reopen = origin, reopen
        self._case_was_told = False
        self._reads_everywhere = True  # as the system takes it without being told

    @classmethod
    def from_folder(cls, opened: ModelFolder) -> Self:
        """Make the model of a folder that was opened; nothing is read yet.

        Raises:
            FormatError: The folder holds something else than a model of this kind.
        """
        return cls(
            vocabulary=opened.vocabulary,
            tokenizer=cls._checked_folder(opened),
            tensors=opened.tensors,
            config=opened.config,
            origin=opened.path.absolute(),
        )

    @classmethod
    def _checked_folder(cls, opened: ModelFolder) -> Tokenizer:
        """Check that a folder has what encoding relies on; returns its tokenizer."""
        return check_tokenizer(opened)

    @property
    def tokenizer(self) -> Tokenizer:
        """What cuts text into words."""
        return self._tokenizer

    @tokenizer.setter
    def tokenizer(self, chosen: Tokenizer) -> None:
        # The configuration is what is saved, printed and compared.
        settings = self.config.settings.with_values(tokenizer=chosen.name)
        self.config = self.config.with_values(settings=settings, tokenizer=chosen.to_config())
        self._tokenizer = chosen

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return self.config.sizes.dim

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Read-only mapping from word to count, in id order; read from disk when first used."""
        return self._read_vocabulary()

    @property
    def _n_words(self) -> int:
        return self.config.sizes.vocabulary

    def explain(self, text: str) -> list[Feature]:
        """Take a text's vector apart into what its words add to it, largest first.

        Raises:
            SettingsError: The vectors of this kind of model are no sum of parts.
        """
        raise unsupported(self, "vectors that can be taken apart")

    @property
    def input_vectors(self) -> NDArray[Any]:
        """The matrix whose rows are averaged.

        Raises:
            SettingsError: This kind of model has none.
        """
        raise unsupported(self, "matrix of input vectors")

    def word_vector(self, word: str) -> Vectors:
        """The vector of a word: float32 (dim,), a copy.

        Raises:
            SettingsError: This kind of model has none.
            UnknownWordError: The word is not in the vocabulary; near words are named.
        """
        raise unsupported(self, "word vectors of its own")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._n_words} words, dim {self.dim}>"

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: a mapped model travels as its path, not as its gigabytes."""
        if self._origin is not None:
            return {"origin": str(self._origin), "reopen": self._reopen, "config": self.config,
                    "tokenizer": self.tokenizer}  # fmt: skip
        # Of one whose rows are made when they are asked for, all of them.
        tensors = {name: tensor[:] for name, tensor in self.tensors.items()}
        return {"vocabulary": self.vocabulary, "tokenizer": self.tokenizer,
                "tensors": tensors, "config": self.config}  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "origin" in state:
            self.__dict__.update(_opened_again(type(self), state).__dict__)
        else:
            vocabulary = state["vocabulary"]
            for tensor in state["tensors"].values():
                tensor.flags.writeable = False
            type(self).__init__(self, **{**state, "vocabulary": lambda: vocabulary})

    def advise_access(self, *, everywhere: bool) -> None:
        """Tell the system how the tensors will be read; only what changes is told."""
        if everywhere != self._reads_everywhere:
            advise_access(self.tensors, everywhere=everywhere)
            self._reads_everywhere = everywhere

    def _encode(
        self, texts: list[str], threads: int, **options: Any
    ) -> tuple[Vectors, NDArray[np.int64]]:
        _ = self.vocabulary  # read before there are threads, each of which would read it
        return super()._encode(texts, threads, **options)

    def _check_texts(self, texts: list[str]) -> None:
        if not self._case_was_told:
            self._case_was_told = warn_about_case(self.tokenizer, self.vocabulary, texts)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model folder; an older model there is replaced, anything else is refused.

        Raises:
            StorageError: The folder cannot be written; what stood there is unchanged.
        """
        card = model_card(Path(folder).name, self.config, self.PREDICTED)
        write_folder(folder, self.config, self.vocabulary, self.tensors, card)

    def without_targets(self) -> StoredEncoder:
        """The same model without what only further training needs.

        Raises:
            SettingsError: This kind of model has nothing of the sort.
        """
        msg = f"the model is a {self.config.kind} model, which has no targets to leave out - "
        raise SettingsError(msg + "keep targets as they are (no --no-targets)")


def _opened_again(cls: type[StoredEncoder], state: Mapping[str, Any]) -> StoredEncoder:
    """The model that was pickled as its path.

    Raises:
        FormatError: Another model is there now, or it is damaged.
        SourceError: There is nothing at the path.
    """
    path, reopen = Path(state["origin"]), state.get("reopen")
    config = ModelConfig.of(state["config"])
    msg = f"{path} is not the model that was pickled - it was replaced since; pickle it again"
    if reopen is None:
        folder = open_folder(path)
        if folder.config.kind != config.kind:
            raise FormatError(msg)
        opened: StoredEncoder = cls.from_folder(folder)
    else:
        try:
            opened = reopen(path)
        except (FormatError, SourceError) as error:
            raise (FormatError(msg) if path.exists() else error) from error
    opened.tokenizer = state["tokenizer"]
    if opened.config != config:
        raise FormatError(msg)
    return opened


def unsupported(model: StoredEncoder, what: str, name: str = "the model") -> SettingsError:
    """The error for what only models that average word vectors have.

    Args:
        model: A model of another kind.
        what: What it does not have.
        name: How the user knows it, as an argument or by its use.
    """
    return SettingsError(
        f"{name} is a {model.config.kind} model, which has no {what} - expected a model of "
        "Sent2Vec, Siamese CBOW or fastText, or word vectors"
    )
