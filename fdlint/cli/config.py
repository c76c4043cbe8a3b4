"""``fdlint config`` shows the effective configuration of a path, and the source of each value."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from fdlint.cli.choices import Levels, choosing_rules, judging, leaving_out
from fdlint.cli.configured import Overrides, chosen, configured
from fdlint.cli.output import emit, emit_printable
from fdlint.report.documents import as_json as in_json
from fdlint.report.findings.tests import USUAL_TEST_FILES

if TYPE_CHECKING:
    from fdlint.scan.config import Config, Patterns

DEFAULT, COMMAND_LINE = "default", "command line"
_RULES = ("select", "extend-select", "ignore")


@dataclass(frozen=True, slots=True)
class Setting:
    """A key with its effective value, as the file would spell it, and the source of the value."""

    key: str
    value: Any
    origin: str


@click.command("config")
@click.argument("path", default=".", type=click.Path())
@choosing_rules
@judging
@leaving_out
@configured
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of the configuration file instead.")
def show_config(
    path: str,
    select: tuple[str, ...],
    extend_select: tuple[str, ...],
    ignore: tuple[str, ...],
    levels: Levels,
    exclude: tuple[str, ...],
    extend_exclude: tuple[str, ...],
    force_exclude: bool,
    baseline: str | None,
    config: str | None,
    isolated: bool,
    as_json: bool,
    schema: bool,
) -> None:
    """Show the configuration for PATH (default: the working directory), and the source of each value.

    A source is a configuration file, the command line (use the options of `fdlint scan`), or fdlint's default.
    """
    if schema:
        from importlib import resources

        emit(resources.files("fdlint").joinpath("schema.json").read_text("utf-8").rstrip("\n"))
        return
    if not os.path.exists(path):
        raise click.UsageError(f"no such file or directory: {path}")
    from fdlint.scan.options import Options

    overrides = Overrides(exclude, extend_exclude, force_exclude, baseline)
    found = chosen(config, isolated, overrides, baseline_must_exist=False)(path)
    options = Options(select, extend_select, ignore)
    given = {"select": select, "extend-select": extend_select, "ignore": ignore}
    settings = [*_of_rules(found, given), *_of_files(found, overrides), *_of_the_rest(found)]
    settings.extend(_of_levels(found, levels))
    settings.sort(key=lambda setting: setting.key)
    rules = [code for code in _codes() if options.wants(code, found, path)]
    if as_json:
        emit(_document(path, found, settings, rules))
    else:
        emit_printable(_text(path, found, settings, rules))


def _of_rules(config: Config, given: Mapping[str, tuple[str, ...]]) -> Iterator[Setting]:
    """With ``--select``, the file's lists do not count. Otherwise the lists of the command line are added to them."""
    own = {"select": config.select, "extend-select": config.extend_select, "ignore": config.ignore}
    for key in _RULES:
        listed = () if given["select"] else own[key]
        origins = [_origin(config, key)] if listed else []
        if given[key] or (given["select"] and own[key]):
            origins.append(COMMAND_LINE)
        yield Setting(key, [*listed, *given[key]], ", ".join(origins) or _origin(config, key))


def _of_files(config: Config, overrides: Overrides) -> Iterator[Setting]:
    from fdlint.languages.registry import SEARCHED
    from fdlint.scan.files.discover import INSTALLED, NEVER_THE_PROJECT

    usual = sorted(NEVER_THE_PROJECT | INSTALLED)
    exclude = usual if config.exclude is None else _lines(config.exclude)
    yield Setting("exclude", exclude, COMMAND_LINE if overrides.exclude else _origin(config, "exclude"))
    more = [*_lines(config.extend_exclude), *_lines(config.more_excluded)]
    origins = [_origin(config, "extend-exclude")] if config.extend_exclude or not config.more_excluded else []
    if config.more_excluded:
        origins.append(COMMAND_LINE)
    yield Setting("extend-exclude", more, ", ".join(origins))
    include = [f"*{suffix}" for suffix in SEARCHED] if config.include is None else _lines(config.include)
    yield Setting("include", include, _origin(config, "include"))
    forced = COMMAND_LINE if overrides.force_exclude else _origin(config, "force-exclude")
    yield Setting("force-exclude", config.force_exclude, forced)
    baseline = os.path.relpath(config.baseline).replace(os.sep, "/") if config.baseline is not None else None
    yield Setting("baseline", baseline, COMMAND_LINE if overrides.baseline else _origin(config, "baseline"))


def _of_levels(config: Config, levels: Levels) -> Iterator[Setting]:
    """The level on the command line replaces that for all rules and those for single rules."""
    confidence, tests = levels.confidence, levels.tests
    by_rule = {} if confidence is not None else {code: level.value for code, level in config.confidence_by_rule}
    level = (confidence or config.confidence).value
    asked = COMMAND_LINE if confidence is not None else None
    yield Setting("confidence", level, asked or _origin(config, "confidence"))
    yield Setting("confidence-by-rule", by_rule, asked or _origin(config, "confidence-by-rule"))
    kind = (tests or config.tests).value
    yield Setting("tests", kind, COMMAND_LINE if tests is not None else _origin(config, "tests"))
    files = USUAL_TEST_FILES if config.test_files is None else _lines(config.test_files)
    yield Setting("test-files", [*files], _origin(config, "test-files"))


def _of_the_rest(config: Config) -> Iterator[Setting]:
    from fdlint.languages.registry import SETTINGS

    tables = json.loads(config.models.tables)
    values = {
        "aliases": tables.get("aliases", {}),
        "api": [name for api in tables.get("api", []) for name in api.get("names", [api.get("name")])],
        **{one.key: one.key in config.flags for one in SETTINGS},
        "per-file-ignores": {
            f"{'!' if one.others else ''}{one.patterns.lines[0]}": list(one.codes) for one in config.per_file_ignores
        },
        "severity": {code: severity.value for code, severity in config.severity},
        "worker": [name for one in tables.get("worker", []) for name in one.get("names", [one.get("name")])],
        "unknown-calls": config.models.unknown_calls.value,
    }
    for key, value in values.items():
        yield Setting(key, value, _origin(config, key))


def _origin(config: Config, key: str) -> str:
    return config.file if config.file is not None and key in config.given else DEFAULT


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
