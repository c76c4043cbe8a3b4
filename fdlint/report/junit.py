"""JUnit XML, which most CI systems show: a file is a suite, a finding a failed test.

https://github.com/testmoapp/junitxml describes what the systems agree on.
"""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as xml

from fdlint.finding import Finding, Report
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook

_NOT_XML = dict.fromkeys((0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}")


def render(report: Report, _rules: Rulebook) -> str:
    """The document; a scan without findings is one test that passed, an unreadable file one in error."""
    root = xml.Element("testsuites", name="fdlint")
    for path, found in groupby(report.findings, key=lambda finding: finding.span.path):
        suite = _suite(root, path)
        for finding in found:
            _failure(suite, finding)
    for skipped in report.skipped:
        case = xml.SubElement(_suite(root, skipped.path), "testcase", name="analysis", classname=_text(skipped.path))
        xml.SubElement(case, "error", message=_text(skipped.reason))
    if not len(root):
        xml.SubElement(_suite(root, "fdlint"), "testcase", name="no findings", classname="fdlint")
    for suite in root:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("*/failure"))))
        suite.set("errors", str(len(suite.findall("*/error"))))
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=True)


def _suite(root: xml.Element, name: str) -> xml.Element:
    return xml.SubElement(root, "testsuite", name=_text(name))


def _failure(suite: xml.Element, finding: Finding) -> None:
    span = finding.span
    case = xml.SubElement(
        suite,
        "testcase",
        name=f"{finding.code} {finding.name} line {span.line}",
        classname=_text(span.path),
        file=_text(span.path),
        line=str(span.line),
    )
    failure = xml.SubElement(case, "failure", message=_text(finding.message), type=finding.severity.value)
    steps = (f"{event.span.path}:{event.span.line}: {event.message}" for event in finding.trace)
    failure.text = "\n".join(map(_text, [f"{span.path}:{span.line}:{span.column}: {finding.message}", *steps]))


def _text(text: str) -> str:
    """What XML can have in it: U+FFFE and U+FFFF it cannot."""
    return printable(text).translate(_NOT_XML)
