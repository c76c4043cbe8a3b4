"""Checkstyle's XML, which many CI systems read: https://checkstyle.org/config.html lists the severities."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as xml

from fdlint.findings.finding import Report
from fdlint.report.documents import in_xml
from fdlint.report.rulebook import Rulebook


def render(report: Report, _rules: Rulebook) -> str:
    """Returns the document. A file that was not fully analysed has an entry of the severity ``info``."""
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
                message=in_xml(one.message),
                source=f"fdlint.{one.code}",
            )
    for skipped in report.skipped:
        file = xml.SubElement(root, "file", name=in_xml(skipped.path))
        reason = in_xml(f"not fully analysed: {skipped.reason}")
        xml.SubElement(file, "error", line="1", severity="info", message=reason, source="fdlint.skipped")
    xml.indent(root)
    return xml.tostring(root, encoding="unicode", xml_declaration=True)
