"""Checkstyle's XML, which many CI systems read: https://checkstyle.org/config.html lists the severities."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as xml

from fdlint.report.documents import in_xml
from fdlint.report.findings.finding import Report
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import noted, states
from fdlint.report.summary import silenced, trend


def render(report: Report, _rules: Rulebook) -> str:
    """Returns the document. A file that was not fully analysed has an entry of the severity ``info``. So has the
    working directory for what the tree silences, and for the comparison with an older report."""
    state = states(report)
    root = xml.Element("checkstyle", version="10.0")
    for path, found in groupby(report.findings, key=lambda finding: finding.span.path):
        file = xml.SubElement(root, "file", name=in_xml(path))
        for one in found:
            xml.SubElement(
                file,
                "error",
                line=str(one.span.line),
                column=str(one.span.column),
                severity=one.severity.value,
                message=in_xml(noted(one.message, state.get(one))),
                source=f"fdlint.{one.code}",
            )
    for skipped in report.skipped:
        _info(root, skipped.path, f"not fully analysed: {skipped.reason}", "fdlint.skipped")
    if said := silenced(report):
        _info(root, ".", said, "fdlint.silenced")
    if report.trend is not None:
        _info(root, ".", trend(report.trend), "fdlint.compared")
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=True)


def _info(root: xml.Element, path: str, message: str, source: str) -> None:
    file = xml.SubElement(root, "file", name=in_xml(path))
    xml.SubElement(file, "error", line="1", severity="info", message=in_xml(message), source=source)
