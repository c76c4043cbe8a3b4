"""Ranks the acquiring calls of a project by the descriptors of a process, with what fdlint reports there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fdlint.catalog import catalog_of
from fdlint.catalog.model import Made
from fdlint.core.finding import EventKind, Finding
from fdlint.languages.registry import by_key
from fdlint.report.findings.finding import Report
from fdlint.report.findings.persona import Levels, Persona
from fdlint.runtime.doctor.examination import Examination
from fdlint.runtime.doctor.judging.verdict import Judgement
from fdlint.runtime.doctor.kinds import Kind, kind_of
from fdlint.runtime.doctor.model import Process
from fdlint.runtime.doctor.recorded.trails import Code
from fdlint.runtime.doctor.sites import makes_of, quoted_path, sites_of
from fdlint.runtime.doctor.suspects import Parts, Site, Suspect
from fdlint.scan.config import Choose, no_config
from fdlint.scan.files.discover import discover
from fdlint.scan.options import Options
from fdlint.scan.scan import scan

_PATHS = frozenset({Kind.FILE, Kind.DELETED, Kind.DEVICE})
_STANDARD = 3
_TERMINALS = ("/dev/ptmx", "/dev/pts/", "/dev/tty")
_ACQUIRING = frozenset({EventKind.ACQUIRED, EventKind.RECEIVED})


@dataclass(frozen=True, slots=True)
class Project:
    """The acquiring calls of a project. ``findings``: what fdlint reports for each, by path and line. ``paths``: its
    files, as findings name them."""

    sites: tuple[Site, ...]
    findings: Mapping[tuple[str, int], tuple[Finding, ...]] = field(default_factory=dict)
    paths: tuple[str, ...] = ()


def read(directory: str, config_of: Choose = no_config) -> Project:
    """Scans a project. Raises ``fdlint.scan.files.discover.MissingPathError``, and ``fdlint.scan.config.ConfigError``
    for an invalid configuration."""
    files = discover([directory], config_of).files
    report = scan(files, Options(jobs=1, levels=Levels(Persona.PEDANTIC)))  # a process has it open: its cost is known
    sites = [site for file in files if not file.language.by_package for site in sites_of(file)]
    findings: dict[tuple[str, int], list[Finding]] = {}
    for one in report.findings:
        for place in _places(one):
            findings.setdefault(place, []).append(one)
    known = {(one.path, one.line) for one in sites}
    sites += [_site(one, report) for one in report.findings if known.isdisjoint(_places(one))]
    by_place = {place: tuple(some) for place, some in findings.items()}
    return Project(tuple(sites), by_place, tuple(file.shown for file in files))


def _places(finding: Finding) -> list[tuple[str, int]]:
    """Where a finding's descriptor comes from."""
    acquired = [(one.span.path, one.span.line) for one in finding.trace if one.kind in _ACQUIRING]
    return list(dict.fromkeys([(finding.span.path, finding.span.line), *acquired]))


def _site(finding: Finding, report: Report) -> Site:
    """The place of a finding without a known call: in Go, and calls of methods."""
    span, api = finding.span, finding.api or ""
    lines = report.sources.get(span.path, ())
    code = lines[span.line - 1].strip() if span.line <= len(lines) else ""
    language = by_key(finding.language)
    catalog = catalog_of(no_config("").models, language)
    return Site(
        span.path, span.line, code, api, makes_of(catalog, api), quoted_path(code) if language.by_package else ()
    )


def code_of(project: Project) -> Code:
    """Returns what a record needs to name the project's files and the findings on their lines."""
    codes = {place: tuple(dict.fromkeys(one.code for one in some)) for place, some in project.findings.items()}
    return Code.of(project.paths, codes)


def with_code(found: Examination, project: Project) -> Examination:
    """Returns an examination with the acquiring calls of a project that fit."""
    suspects = {one.entry.pid: rank(project, one, found.of(one)) for one in found.snapshot.processes}
    return replace(found, suspects=suspects)


def rank(project: Project, process: Process, judgements: Sequence[Judgement]) -> tuple[Suspect, ...]:
    """Returns the calls that fit what the judgements are about, or any descriptor if there is none. Calls whose path
    fits come first, then those with a finding that explains the pattern, then other findings."""
    judged = Counter({(kind, name): number for one in judgements for kind, name, number in one.places})
    places = judged or Counter(one.place for one in process.open if one.number >= _STANDARD)
    codes = {code for one in judgements for code in one.pattern.codes}
    found = [one for site in project.sites for one in _suspects(site, places, project, codes)]
    if any(one.exact and one.explains for one in found):
        found = [one for one in found if one.exact or one.explains]
    elif judged:
        found = [one for one in found if one.exact or one.findings]  # any other would be a guess
    else:
        found = [one for one in found if one.exact]
    found.sort(key=lambda one: (not one.exact, not one.explains, not one.findings, -one.open, one.site.path))
    return tuple(found)


def _suspects(
    site: Site, places: Mapping[tuple[Kind, str], int], project: Project, codes: set[str]
) -> Iterator[Suspect]:
    findings = project.findings.get((site.path, site.line), ())
    explains = any(one.code in codes for one in findings)
    exact = {place: number for place, number in places.items() if site.parts and _fits_path(site, place)}
    fitting = exact or {place: number for place, number in places.items() if _fits(site, place)}
    if not fitting and explains and not site.makes:
        fitting = dict(places)
    if fitting:
        kinds = Counter({kind: 0 for kind, _ in fitting})
        for (kind, _), number in fitting.items():
            kinds[kind] += number
        fits = bool(exact) or (explains and bool(site.makes) and Made.PATH not in site.makes)
        yield Suspect(site, sum(fitting.values()), kinds.most_common(1)[0][0], fits, findings, explains)


def _fits(site: Site, place: tuple[Kind, str]) -> bool:
    """Whether a call can open a descriptor of this kind. A call with a known path opens no other."""
    kind, name = place
    return any(_fits_made(made, kind, name) for made in site.makes if made is not Made.PATH or not site.parts)


def _fits_made(made: Made, kind: Kind, name: str) -> bool:
    if made is Made.PATH:
        return kind in _PATHS
    if made is Made.TERMINAL:
        return kind is Kind.DEVICE and name.startswith(_TERMINALS)
    return kind is kind_of(made) and (kind is not Kind.ANON or name == made.value)


def _fits_path(site: Site, place: tuple[Kind, str]) -> bool:
    kind, name = place
    return Made.PATH in site.makes and kind in _PATHS and matches(site.parts, name)


def matches(parts: Parts, path: str) -> bool:
    """Whether a path can be what the parts spell. A relative path fits at the end of an absolute one."""
    first = parts[0]
    spelled = parts if first is None or first.startswith("/") else (None, f"/{first.removeprefix('./')}", *parts[1:])
    start = 0
    for number, part in enumerate(spelled):
        if part is None:
            continue
        if number == 0:
            if not path.startswith(part):
                return False
            start = len(part)
            continue
        if number == len(spelled) - 1:
            return path.endswith(part) and len(path) - len(part) >= start
        start = path.find(part, start) + len(part)
        if start < len(part):
            return False
    return spelled[-1] is None or (len(spelled) == 1 and path == spelled[0])
