"""JUnit XML, which most CI systems show: a file is a suite, a finding a failed test.

https://github.com/testmoapp/junitxml describes what the systems agree on.
"""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as xml

from fdlint.findings.finding import Finding, Report
from fdlint.report.documents import in_xml
from fdlint.report.rulebook import Rulebook


def render(report: Report, _rules: Rulebook) -> str:
    """Returns the document. A scan without findings is one passed test; an unreadable file is a test with an error."""
    root = xml.Element("testsuites", name="fdlint")
    for path, found in groupby(report.findings, key=lambda finding: finding.span.path):
        suite = _suite(root, path)
        for finding in found:
            _failure(suite, finding)
    for skipped in report.skipped:
        case = xml.SubElement(_suite(root, skipped.path), "testcase", name="analysis", classname=in_xml(skipped.path))
        xml.SubElement(case, "error", message=in_xml(skipped.reason))
    if not len(root):
        xml.SubElement(_suite(root, "fdlint"), "testcase", name="no findings", classname="fdlint")
    for suite in root:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("*/failure"))))
        suite.set("errors", str(len(suite.findall("*/error"))))
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=True)


def _suite(root: xml.Element, name: str) -> xml.Element:
    return xml.SubElement(root, "testsuite", name=in_xml(name))


def _failure(suite: xml.Element, finding: Finding) -> None:
    span = finding.span
    case = xml.SubElement(
        suite,
        "testcase",
        name=f"{finding.code} {finding.name} line {span.line}",
        classname=in_xml(span.path),
        file=in_xml(span.path),
        line=str(span.line),
    )
    failure = xml.SubElement(case, "failure", message=in_xml(finding.message), type=finding.severity.value)
    steps = (f"{event.span.path}:{event.span.line}: {event.message}" for event in finding.trace)
    failure.text = "\n".join(map(in_xml, [f"{span.path}:{span.line}:{span.column}: {finding.message}", *steps]))
