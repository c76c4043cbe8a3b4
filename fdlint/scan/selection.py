"""Selects the findings to report, and counts those that the scanned tree hides."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fdlint.core.finding import Finding, Severity, Span, Unused
from fdlint.languages.registry import language_of
from fdlint.report.findings.finding import FileResult, Report, Skipped, Summary, Withheld
from fdlint.report.findings.hidden import hidden_by
from fdlint.report.findings.merging import merged
from fdlint.report.findings.pairing import paired
from fdlint.report.findings.persona import Persona
from fdlint.report.findings.silencing import COMMAND_LINE, DEFAULTS, NOTHING, Means, Silencing, counted, together
from fdlint.scan.config import Config
from fdlint.scan.config.keys import MODELS, UNKNOWN_CALLS
from fdlint.scan.files.discover import Discovery
from fdlint.scan.files.guard import reason
from fdlint.scan.files.shard import WHOLE, Shard
from fdlint.scan.options import NO_OPTIONS, Options
from fdlint.scan.suppress import Silenced, silence

if TYPE_CHECKING:
    from fdlint.scan.baseline import Baseline

_RULE_KEYS = frozenset({"select", "ignore"})
_MODEL_KEYS = frozenset({*MODELS, UNKNOWN_CALLS})


def made_of(results: Sequence[FileResult], options: Options, configs: Mapping[str, Config], seconds: float) -> Report:
    """Returns the report on files from their results. ``configs``: by the paths of the files. ``seconds``: the duration
    of the scan."""
    findings: list[Finding] = []
    unused: list[Unused] = []
    digests: dict[str, str] = {}
    silenced = baselined = lowered = 0
    withheld: list[Withheld] = []
    skipped: list[Skipped] = []
    means: Counter[Means | None] = Counter()
    for found in results:
        config = configs[found.path]
        result = _in_tests(found, config)
        baseline = _baseline(config)
        skipped.extend(result.skipped)
        try:
            removed = [options.removed(one, config) for one in result.findings]
            said = _said(result, config, options)
            new, beyond = _new(said, baseline) if baseline is not None else (said.findings, said.beyond)
        except Exception as error:
            skipped.append(Skipped(result.path, reason(error)))
            continue
        withheld.extend(_withheld(result, said, new, beyond, options, config))
        means.update(removed)
        silenced += len(said.hidden)
        means[Means.COMMENTS] += len(said.hidden)
        baselined += len(said.findings) - len(new)
        if config.found and "baseline" in config.given:
            means[Means.BASELINE] += len(said.findings) - len(new)
        rated = [replace(one, severity=config.severity_of(one.code, one.severity)) for one in new]
        lowered += sum(map(_is_lowered, new, rated)) if config.found else 0
        findings.extend(rated)
        unused.extend(said.unused)
        if (said.unused or new) and result.digest is not None:
            digests[result.path] = result.digest
    findings.sort(key=lambda finding: (finding.span, finding.code))
    wanted = {finding.span.path for finding in findings}
    own = {result.path: configs[result.path] for result in results if configs[result.path].found}
    return Report(
        tuple(findings),
        tuple(skipped),
        Summary(len(results), sum(r.analysed and not r.idle for r in results), sum(r.lines for r in results), seconds),
        {result.path: result.text for result in results if result.path in wanted},
        tuple(unused),
        silenced,
        baselined,
        scanned=tuple(result.path for result in results),
        shard=str(options.shard) if options.shard != WHOLE else None,
        silencing=together([Silencing(counted(means.elements()), lowered=lowered), *_of_configs(own, options)]),
        digests=digests,
        withheld=tuple(withheld),
        persona=_persona(configs.values(), options),
        hidden=hidden_by(one.screen for one in withheld if one.screen is not None and one.alone),
    )


def _persona(configs: Iterable[Config], options: Options) -> Persona | None:
    """Returns what is to be shown of all files; None if configurations differ."""
    said = {options.levels.over(config.levels).persona for config in configs} or {options.levels.persona}
    personas = {one or Persona.REGULAR for one in said}
    return personas.pop() if len(personas) == 1 else None


def _withheld(
    result: FileResult,
    said: Silenced,
    reported: Sequence[Finding],
    beyond: Sequence[Finding],
    options: Options,
    config: Config,
) -> Iterator[Withheld]:
    """Yields the findings of a file that are not reported. ``said``: those that neither the rules nor comments hide.
    ``beyond``: those that nothing but the levels hide."""
    uncommented, absorbed, alone = (set(map(_place, some)) for some in (said.findings, said.absorbed, beyond))
    for one in paired(result.findings, _place, map(_place, reported))[1]:
        wanted = options.wants(one.code, config, one.span.path)
        screen = options.screen(one, config) if wanted else None
        if not wanted or screen is not None:
            means = options.removed(one, config)
            by = means.value if means is not None else _without_means(one, options, config)
            yield Withheld(one, by, screen, _place(one) in alone)
        elif _place(one) in absorbed:
            yield Withheld(one, DEFAULTS)
        else:
            yield Withheld(one, (Means.BASELINE if _place(one) in uncommented else Means.COMMENTS).value)


def _without_means(finding: Finding, options: Options, config: Config) -> str:
    """Returns the reason for which a finding is withheld that the scanned tree does not hide."""
    usual = options.wants(finding.code, config, finding.span.path) and not NO_OPTIONS.shows(finding)
    return DEFAULTS if usual else COMMAND_LINE


def _in_tests(result: FileResult, config: Config) -> FileResult:
    """Returns the result of a file with its findings marked if it is a test file."""
    if not result.findings or not config.in_tests(result.path):
        return result
    return replace(result, findings=tuple(replace(one, in_tests=True) for one in result.findings))


def _place(finding: Finding) -> tuple[str, Span]:
    return finding.code, finding.span


def _is_lowered(before: Finding, after: Finding) -> bool:
    return before.severity is Severity.ERROR and after.severity is Severity.WARNING


def _of_configs(configs: Mapping[str, Config], options: Options) -> Iterator[Silencing]:
    """Yields the rules and models that configurations in the tree switch off and redefine. ``configs``: by the files'
    paths."""
    untested = (path for path, config in configs.items() if language_of(path).leaves_out_test(path, config.flags))
    yield Silencing(paths=counted(Means.UNCHECKED_TESTS for _ in untested))
    for config in {id(config): config for config in configs.values()}.values():
        off = _switched_off(config, options) if config.given & _RULE_KEYS else ()
        models = _redefined(config) if config.given & _MODEL_KEYS else ()
        yield Silencing(rules=off, models=models, configurations=(str(config.file),))


def _switched_off(config: Config, options: Options) -> tuple[str, ...]:
    from fdlint.core.checks import all_rules

    codes = (loaded.rule.code for loaded in all_rules())
    return tuple(code for code in codes if options.chooses(code) and not options.chooses(code, config))


def _redefined(config: Config) -> tuple[str, ...]:
    from fdlint.catalog import redefined

    return redefined(config.models)


def with_discovery(report: Report, found: Discovery, shard: Shard = WHOLE) -> Report:
    """Returns the report with unreadable paths, and with the parts that the tree leaves out. Of the shards of a scan,
    only the first one counts these."""
    unseen = (one for one in found.skipped if shard.holds(one.path))
    skipped = sorted((*unseen, *report.skipped), key=lambda entry: entry.path)
    left_out = found.silencing if shard.number == 1 else NOTHING
    return replace(report, skipped=tuple(skipped), silencing=together([report.silencing, left_out]))


def _baseline(config: Config) -> Baseline | None:
    from fdlint.scan.baseline import read

    return read(config.baseline) if config.baseline else None


def _new(said: Silenced, baseline: Baseline) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Returns what a baseline leaves of the findings to report, and of those that nothing but the levels hide."""
    from fdlint.scan.baseline import unknown

    left, shown = unknown((*said.findings, *said.beyond), baseline), frozenset(map(id, said.findings))
    return [one for one in left if id(one) in shown], [one for one in left if id(one) not in shown]


def _merged(silenced: Silenced) -> Silenced:
    """Merges what one exception leaves open."""
    if len(silenced.findings) + len(silenced.hidden) < 2:
        return silenced
    from fdlint.core.checks import all_rules

    codes = {loaded.rule.code for loaded in all_rules() if loaded.rule.one_per_exception}
    findings, absorbed = merged(silenced.findings, silenced.hidden, codes)
    return replace(silenced, findings=findings, absorbed=absorbed)


def _said(result: FileResult, config: Config, options: Options) -> Silenced:
    """Returns the findings of one file to report, including those about unused comments."""

    def chosen(finding: Finding) -> bool:
        return options.wants(finding.code, config, finding.span.path)

    shows = functools.partial(options.shows, config=config)
    if not result.suppressions or not options.suppressions:
        return _shown(Silenced(tuple(filter(chosen, result.findings))), shows)
    from fdlint.core.checks import all_rules
    from fdlint.core.checks.judge import findings

    codes = (loaded.rule.code for loaded in all_rules())
    ignored = functools.partial(options.ignores, config=config, path=result.path)
    all_of_them = silence(result.findings, result.suppressions, codes, ignored=ignored, noqa=options.noqa)
    silenced = _shown(
        replace(
            all_of_them,
            findings=tuple(filter(chosen, all_of_them.findings)),
            hidden=tuple(filter(chosen, all_of_them.hidden)),
        ),
        shows,
    )
    if result.skipped:
        return replace(silenced, unused=())  # a comment may be for the part that was not analysed
    in_tests = config.in_tests(result.path)
    about = [
        replace(one, in_tests=in_tests)
        for one in findings(silenced.unused, result.text, language_of(result.path).key)[0]
    ]
    wanted = (one for one in about if chosen(one) and shows(one))
    return replace(silenced, findings=(*silenced.findings, *wanted))


def _shown(chosen: Silenced, shows: Callable[[Finding], bool]) -> Silenced:
    """Applies the levels. What is part of another finding, be it shown or not, is not hidden by them."""
    shown, commented = tuple(filter(shows, chosen.findings)), tuple(filter(shows, chosen.hidden))
    silenced = _merged(replace(chosen, findings=shown, hidden=commented))
    if len(shown) == len(chosen.findings):
        return silenced
    return replace(silenced, beyond=tuple(one for one in _merged(chosen).findings if not shows(one)))
