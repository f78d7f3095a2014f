"""The version of this package, also written into every model."""

from __future__ import annotations

VERSION = "0.1.0"
