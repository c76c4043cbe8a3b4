"""JUnit XML, which most CI systems show: a file is a suite, a finding a failed test.

https://github.com/testmoapp/junitxml describes what the systems agree on.
"""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as xml

from fdlint.core.finding import Finding
from fdlint.report.documents import in_xml
from fdlint.report.findings.finding import Report
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import noted, states
from fdlint.report.steps import steps
from fdlint.report.summary import fixed, silenced, trend


def render(report: Report, _rules: Rulebook) -> str:
    """Returns the document. A scan without findings is one passed test; an unreadable file is a test with an error.
    What the tree silences is a skipped test, and the comparison with an older report a passed one."""
    state = states(report)
    root = xml.Element("testsuites", name="fdlint")
    for path, found in groupby(report.findings, key=lambda finding: finding.span.path):
        suite = _suite(root, path)
        for finding in found:
            _failure(suite, finding, state.get(finding))
    for skipped in report.skipped:
        case = xml.SubElement(_suite(root, skipped.path), "testcase", name="analysis", classname=in_xml(skipped.path))
        xml.SubElement(case, "error", message=in_xml(skipped.reason))
    _whole(root, report)
    for suite in root:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("*/failure"))))
        suite.set("errors", str(len(suite.findall("*/error"))))
        suite.set("skipped", str(len(suite.findall("*/skipped"))))
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=True)


def _suite(root: xml.Element, name: str) -> xml.Element:
    return xml.SubElement(root, "testsuite", name=in_xml(name))


def _whole(root: xml.Element, report: Report) -> None:
    """Adds the tests that belong to no file."""
    suite = _suite(root, "fdlint")
    if len(root) == 1:
        xml.SubElement(suite, "testcase", name="no findings", classname="fdlint")
    if said := silenced(report):
        case = xml.SubElement(suite, "testcase", name="silenced by the tree", classname="fdlint")
        xml.SubElement(case, "skipped", message=in_xml(said))
    if report.trend is not None:
        case = xml.SubElement(suite, "testcase", name="comparison", classname="fdlint")
        told = [trend(report.trend), *fixed(report.trend)]
        xml.SubElement(case, "system-out").text = "\n".join(map(in_xml, told))
    if not len(suite):
        root.remove(suite)


def _failure(suite: xml.Element, finding: Finding, state: str | None) -> None:
    span = finding.span
    case = xml.SubElement(
        suite,
        "testcase",
        name=f"{finding.code} {finding.name} line {span.line}",
        classname=in_xml(span.path),
        file=in_xml(span.path),
        line=str(span.line),
    )
    if state is not None:
        xml.SubElement(xml.SubElement(case, "properties"), "property", name="state", value=state)
    failure = xml.SubElement(case, "failure", message=in_xml(finding.message), type=finding.severity.value)
    first = noted(f"{span.path}:{span.line}:{span.column}: {finding.message}", state)
    failure.text = "\n".join(map(in_xml, [first, *steps(finding)]))
