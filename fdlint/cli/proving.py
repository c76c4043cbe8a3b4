"""``fdlint prove`` writes a test that shows a finding, and runs it if it is asked to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fdlint.cli.configured import chosen, configured
from fdlint.cli.explaining import answered, parsed
from fdlint.cli.output import emit, say, write_out
from fdlint.report.printable import printable

if TYPE_CHECKING:
    from fdlint.core.finding import Finding
    from fdlint.runtime.proof.machinery.searching import Verdict
    from fdlint.runtime.proof.machinery.watching import Defect

PROVED = 1
_REPORT = ".json"
_WITHOUT_TEST = "no test"


@click.command(short_help="Write a test that shows a finding.")
@click.argument("places", metavar="PATH:LINE...", nargs=-1, required=True)
@click.option("--all", "everything", is_flag=True, help="Take all findings of a JSON report, or of a scan of paths.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the test there."
)
@click.option(
    "--run", "runs", is_flag=True, help="EXECUTE the code of the project, in a copy of it, and print verdicts."
)
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", help="The form of the verdicts.")
@configured
def prove(
    places: tuple[str, ...],
    everything: bool,
    output: Path | None,
    runs: bool,
    output_format: str,
    config: str | None,
    isolated: bool,
) -> int:
    """Write a pytest file that shows the findings at PATH:LINE. Start it at the root of the project.

    The test calls the function with stand-ins for its parameters, makes the step of the trace that raises raise, and
    counts descriptors over three calls. It fails while the defect is there, and passes after the repair. It needs
    pytest alone. Without --run nothing is executed or imported.

    With --run the verdict on each finding is *proved*, *not reached* (with the reason) or *refuted*. The exit status
    is then 1 if a finding is proved. Python only.
    """
    found = list(_all(places, config, isolated) if everything else _named(places, config, isolated))
    proofs, without = _proofs(found)
    for finding, reason in without:
        say(f"fdlint: {_place(finding)}: {finding.code}: {_WITHOUT_TEST}: {reason}")
    if not runs:
        _write(proofs, output)
        return 0
    if output is not None:
        _write(proofs, output)
    return _run(proofs, without, output_format, " ".join(map(_place, [one for one, _ in proofs])))


def _named(places: Sequence[str], config: str | None, isolated: bool) -> Iterator[Finding]:
    """Yields the findings at lines. Raises ``UsageError`` if a line has none."""
    for place in places:
        path, line = parsed(place)
        found = [
            one.finding
            for one in answered(path, line, config, isolated).findings
            if one.finding.span.line <= line <= one.finding.span.end_line
        ]
        if not found:
            raise click.UsageError(f"there is no finding at {place}: `fdlint why-not {place}` has the reason")
        yield from found


def _all(places: Sequence[str], config: str | None, isolated: bool) -> Iterator[Finding]:
    """Yields the findings of reports, and of scans of paths."""
    from fdlint.cli.reports import read_report
    from fdlint.scan.files.discover import MissingPathError, discover
    from fdlint.scan.scan import scan

    for place in places:
        if place.endswith(_REPORT):
            yield from read_report(place).findings
    paths = [place for place in places if not place.endswith(_REPORT)]
    if paths:
        try:
            files = discover(paths, chosen(config, isolated)).files
        except MissingPathError as error:
            raise click.UsageError(str(error)) from None
        yield from scan(files).findings


def _proofs(found: Sequence[Finding]) -> tuple[list[tuple[Finding, Defect]], list[tuple[Finding, str]]]:
    from fdlint.runtime.proof.target import NoProofError, Sources, defect_of

    sources, proofs, without = Sources(), [], []
    for finding in found:
        try:
            proofs.append((finding, defect_of(finding, sources)))
        except NoProofError as error:
            without.append((finding, str(error)))
    return proofs, without


def _place(finding: Finding) -> str:
    return f"{finding.span.path}:{finding.span.line}"


def _write(proofs: Sequence[tuple[Finding, Defect]], file: Path | None) -> None:
    from fdlint.runtime.proof.writing import written

    if not proofs:
        return
    if file is None:
        emit(written(proofs).removesuffix("\n"))
        return
    write_out(file, written(proofs).encode())
    say(f"fdlint: written: {printable(str(file))}; start it with: pytest {printable(str(file))}")


def _run(
    proofs: Sequence[tuple[Finding, Defect]], without: Sequence[tuple[Finding, str]], output_format: str, shown: str
) -> int:
    from fdlint.runtime.proof import running

    verdicts: list[tuple[Finding, Verdict | None, str]] = [(one, None, reason) for one, reason in without]
    try:
        with running.prepared(os.getcwd()) as place:
            network = "with the network of this machine" if place.has_network else "without a network"
            say(f"fdlint: EXECUTES code of this project, as this user, {network}, in a copy below {place.directory}")
            for finding, defect in proofs:
                called = ", ".join(f"{defect.module}.{one}" for one in defect.calls) or f"the module {defect.module}"
                say(f"fdlint: {_place(finding)}: {finding.code}: calls {called}")
                verdict = running.run(finding, defect, place)
                verdicts.append((finding, verdict, verdict.reason))
    except running.NotRunError as error:
        raise click.ClickException(f"not run: {error}") from None
    if output_format == "json":
        from fdlint.report.documents import as_json

        emit(as_json({"version": 1, "proofs": [_document(*one) for one in verdicts]}))
    else:
        for one in verdicts:
            emit("\n".join(_lines(*one)))
    return PROVED if any(one is not None and one.verdict == "proved" for _, one, _ in verdicts) else 0


def _command(finding: Finding) -> str:
    return f"fdlint prove --run {_place(finding)}"


def _lines(finding: Finding, verdict: Verdict | None, reason: str) -> Iterator[str]:
    word = verdict.verdict if verdict is not None else _WITHOUT_TEST
    yield printable(f"{_place(finding)}: {finding.code} {finding.name}: {word}: {reason}")
    for premise in verdict.premises if verdict is not None else ():
        yield f"  {printable(premise)}"
    if word == "proved":
        yield printable(f"  {_command(finding)}")
    if word == "refuted":
        yield "  This finding seems to be wrong. Please report it to fdlint, with the function and this trace:"
        yield from (printable(f"    line {one.span.line}: {one.message}") for one in finding.trace)


def _document(finding: Finding, verdict: Verdict | None, reason: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "path": finding.span.path,
        "line": finding.span.line,
        "function": finding.function,
        "fingerprint": finding.fingerprint,
        "verdict": verdict.verdict if verdict is not None else None,
        "reason": reason,
        "premises": list(verdict.premises) if verdict is not None else [],
        "command": _command(finding),
    }
