"""Command-line options made from settings: the flag is the field's name, the help is its help."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

import typer

from sentvec.training.settings import Settings

Command = Callable[..., None]


def with_settings(
    *kinds: type[Settings],
    options: Mapping[str, Any] | None = None,
    left_out: Sequence[str] = (),
) -> Callable[[Command], Command]:
    """Give a command one option for each field of the settings, passed as keyword arguments.

    The command must take `**settings`. An option that is not given arrives as None, which
    leaves the value to the preset; the help shows the default preset's, where all kinds of
    settings that have the field agree.

    Args:
        kinds: The classes of settings.
        options: Annotations of parameters of the command itself, which replace those it has.
        left_out: Parameters of the command itself that are not options.
    """

    def give(function: Command) -> Command:
        signature = inspect.signature(function)
        own_hints = {**get_type_hints(function, include_extras=True), **(options or {})}
        own = [
            parameter.replace(annotation=own_hints[parameter.name])
            for parameter in signature.parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD and parameter.name not in left_out
        ]
        every = [*own, *_options(kinds)]
        function.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
        function.__annotations__ = {p.name: p.annotation for p in every}
        return function

    return give


def _options(kinds: tuple[type[Settings], ...]) -> list[inspect.Parameter]:
    """An option for each field, in the order of the first kind that has it."""
    found: dict[str, list[Field[Any]]] = {}
    hints: dict[str, Any] = {}
    for kind in kinds:
        for field in fields(kind):
            found.setdefault(field.name, []).append(field)
        hints = {**get_type_hints(kind), **hints}
    return [_option(same, hints[name]) for name, same in found.items()]


def _option(same: list[Field[Any]], hint: Any) -> inspect.Parameter:
    field = same[0]
    kind = {bool: bool, int: int, float: float, str: str}.get(hint, int)
    flag = "--" + field.name.replace("_", "-")
    if kind is bool:
        flag += f"/--no-{field.name.replace('_', '-')}"
    assert field.default is not MISSING
    known = field.default is not None and all(other.default == field.default for other in same)
    default = f" [default: {_shown(field.default)}]" if known else ""
    option = typer.Option(None, flag, help=field.metadata["help"] + default, show_default=False)
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind | None
    )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
