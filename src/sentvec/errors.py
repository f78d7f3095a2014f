"""The exceptions users meet.

Every message says what happened (with the value), what was expected and what to do. Each class also
derives from the built-in exception a Python programmer would catch for it, so both
``except SentvecError`` and ``except ValueError`` work. The command line prints the message in one
line and exits with status 1.
"""

from __future__ import annotations


class SentvecError(Exception):
    """Base class of every error this library raises on purpose."""


class SettingsError(SentvecError, ValueError):
    """A setting has a value that cannot work (``dim=0``, ``lr=nan``, an unknown preset)."""


class CorpusError(SentvecError, ValueError):
    """The text cannot be trained on: empty, only one word, no word as frequent as ``min_count``."""


class SourceError(SentvecError, OSError):
    """A file to be read is missing, is a directory, or may not be opened."""


class StorageError(SentvecError, OSError):
    """A file or folder could not be written; what was there before is unchanged."""


class FormatError(SentvecError, ValueError):
    """A file is not as expected: not a model, truncated, or of an unknown version."""


class DivergedError(SentvecError, ArithmeticError):
    """Training produced values that are not finite; the message names progress and rate."""


class NotEnoughMemoryError(SentvecError, MemoryError):
    """The run would need more memory than this process may still use."""


class InputTypeError(SentvecError, TypeError):
    """A value has the wrong type: bytes for text, a dict for a model."""


class EmptyTextError(SentvecError, ValueError):
    """A text has no known word and ``on_empty="raise"`` was asked for."""


class UnknownWordError(SentvecError, KeyError):
    """A word is not in the vocabulary; the message suggests near ones."""

    def __str__(self) -> str:
        # KeyError would show the message inside quotes.
        return str(self.args[0]) if self.args else ""


class EncoderError(SentvecError, ValueError):
    """An evaluated model did not return one vector of finite numbers for each text."""


class MissingExtraError(SentvecError, ImportError):
    """An optional package is needed; the message names the extra that installs it."""


class EmptyTextWarning(UserWarning):
    """Some texts had no known word, so their rows are zero (or NaN)."""


class LetterCaseWarning(UserWarning):
    """Many words of a text are unknown as written, but known in lower case."""


class PrunedVocabularyWarning(UserWarning):
    """The corpus has more distinct words than can be counted at once; rare ones were dropped."""


class SourceChangedWarning(UserWarning):
    """A file changed its size while it was read."""


class KernelCacheWarning(UserWarning):
    """Compiled kernels cannot be cached; they are used now, and compiled again next time."""
