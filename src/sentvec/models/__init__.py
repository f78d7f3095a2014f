"""The models: what they have in common, a folder for each, and their kinds."""

from __future__ import annotations

import sentvec.models.builtin as _builtin  # whatever is imported from here, all kinds are known

__all__: list[str] = []
del _builtin
