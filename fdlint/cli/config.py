"""``fdlint config`` shows the effective configuration of a path, and the source of each value."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from fdlint.cli.configured import chosen, configured
from fdlint.cli.output import emit, emit_printable
from fdlint.report.documents import as_json as in_json
from fdlint.report.findings.persona import Persona
from fdlint.report.findings.tests import USUAL_TEST_FILES

if TYPE_CHECKING:
    from fdlint.scan.config import Config, Patterns

DEFAULT = "default"
_BY_PERSONA = frozenset({"min-confidence", "min-impact", "tests"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A key with its effective value, as the file would spell it, and the source of the value."""

    key: str
    value: Any
    origin: str


@click.command("config", short_help="Show the configuration for a path, and its sources.")
@click.argument("path", default=".", type=click.Path())
@configured
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of the configuration file instead.")
def show_config(path: str, config: str | None, isolated: bool, as_json: bool, schema: bool) -> None:
    """Show the configuration for PATH (default: the working directory), and the source of each value."""
    if schema:
        from importlib import resources

        emit(resources.files("fdlint").joinpath("schema.json").read_text("utf-8").rstrip("\n"))
        return
    if not os.path.exists(path):
        raise click.UsageError(f"no such file or directory: {path}")
    from fdlint.scan.options import NO_OPTIONS

    found = chosen(config, isolated, baseline_must_exist=False)(path)
    settings = [Setting(key, value, _origin(found, key)) for key, value in sorted(_values(found).items())]
    rules = [code for code in _codes() if NO_OPTIONS.wants(code, found, path)]
    if as_json:
        emit(_document(path, found, settings, rules))
    else:
        emit_printable(_text(path, found, settings, rules))


def _values(config: Config) -> dict[str, Any]:
    """Returns the effective value of each key, as the file would spell it."""
    from fdlint.languages.registry import OWN_TABLES, SEARCHED, SETTINGS
    from fdlint.scan.files.discover import INSTALLED, NEVER_THE_PROJECT

    tables = json.loads(config.models.tables)
    usual = sorted(NEVER_THE_PROJECT | INSTALLED)
    place, shown = config.baseline, config.levels.thresholds()
    return {
        "aliases": tables.get("aliases", {}),
        "api": _names(tables.get("api", ())),
        **{one: {key: _names(entries) for key, entries in tables.get(one, {}).items()} for one in OWN_TABLES},
        "baseline": os.path.relpath(place).replace(os.sep, "/") if place is not None else None,
        "exclude": usual if config.exclude is None else _lines(config.exclude),
        "extend-exclude": _lines(config.extend_exclude),
        "force-exclude": config.force_exclude,
        **{one.key: one.key in config.flags for one in SETTINGS},
        "ignore": [*config.ignore],
        "include": [f"*{suffix}" for suffix in SEARCHED] if config.include is None else _lines(config.include),
        "min-confidence": shown.confidence.value,
        "min-impact": shown.impact.value,
        "min-severity": shown.severity.value,
        "persona": (config.persona or Persona.REGULAR).value,
        "per-file-ignores": {
            f"{'!' if one.others else ''}{one.patterns.lines[0]}": list(one.codes) for one in config.per_file_ignores
        },
        "select": [*config.select],
        "severity": {code: severity.value for code, severity in config.severity},
        "test-files": [*USUAL_TEST_FILES] if config.test_files is None else _lines(config.test_files),
        "tests": shown.tests.value,
        "unknown-calls": config.models.unknown_calls.value,
        "worker": _names(tables.get("worker", ())),
    }


def _names(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Returns the names of functions that models are about."""
    return [name for one in entries for name in one.get("names", [one.get("name")])]


def _origin(config: Config, key: str) -> str:
    if config.file is not None and key in config.given:
        return config.file
    return "persona" if config.persona is not None and key in _BY_PERSONA else DEFAULT


def _lines(patterns: Patterns | None) -> list[str]:
    return list(patterns.lines) if patterns is not None else []


def _codes() -> Iterator[str]:
    from fdlint.core.checks import all_rules

    return (loaded.rule.code for loaded in all_rules())


def _document(path: str, config: Config, settings: list[Setting], rules: list[str]) -> str:
    return in_json(
        {
            "version": 1,
            "path": path,
            "file": config.file,
            "directory": config.directory or None,
            "rules": rules,
            "settings": {one.key: {"value": one.value, "from": one.origin} for one in settings},
        }
    )


def _text(path: str, config: Config, settings: list[Setting], rules: list[str]) -> str:
    """Formats settings like the file, for readers: of models only the names."""
    head = [f"# for {path}: {config.file or 'no configuration file'}", f"# rules: {' '.join(rules) or 'none'}", ""]
    lines = [f"{one.key} = {_toml(one.value)}" for one in settings]
    width = min(60, max(len(line) for line in lines))
    return "\n".join(head + [f"{line:<{width}}  # {one.origin}" for line, one in zip(lines, settings, strict=True)])


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json.dumps(key)} = {_toml(one)}' for key, one in value.items())}}}"
    return "(none)" if value is None else json.dumps(value, ensure_ascii=False)
