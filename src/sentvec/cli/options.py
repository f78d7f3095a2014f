"""Command-line options made from settings: the flag is the field's name, the help is its help."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

import typer

from sentvec.models.settings import Sent2VecSettings


def with_settings(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of the settings, passed as keyword arguments.

    The command must take `**settings`. An option that is not given arrives as None, which
    leaves the value to the preset; the help shows the default preset's.
    """
    hints = get_type_hints(Sent2VecSettings)
    signature = inspect.signature(function)
    own_hints = get_type_hints(function, include_extras=True)
    own = [
        parameter.replace(annotation=own_hints[parameter.name])
        for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    options = [_option(field, hints[field.name]) for field in fields(Sent2VecSettings)]
    function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    function.__annotations__ = {p.name: p.annotation for p in [*own, *options]}
    return function


def _option(field: Field[Any], hint: Any) -> inspect.Parameter:
    kind = {bool: bool, int: int, float: float, str: str}.get(hint, int)
    flag = "--" + field.name.replace("_", "-")
    if kind is bool:
        flag += f"/--no-{field.name.replace('_', '-')}"
    assert field.default is not MISSING
    default = f" [default: {_shown(field.default)}]" if field.default is not None else ""
    option = typer.Option(None, flag, help=field.metadata["help"] + default, show_default=False)
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind | None
    )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
