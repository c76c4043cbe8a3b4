"""The weaknesses of https://cwe.mitre.org (version 4.17) that the rules cover, in SARIF's form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

NAMES = {
    403: "Exposure of File Descriptor to Unintended Control Sphere ('File Descriptor Leak')",
    460: "Improper Cleanup on Thrown Exception",
    672: "Operation on a Resource after Expiration or Release",
    697: "Incorrect Comparison",
    772: "Missing Release of Resource after Effective Lifetime",
    775: "Missing Release of File Descriptor or Handle after Effective Lifetime",
    910: "Use of Expired File Descriptor",
    1341: "Multiple Releases of Same Resource or Handle",
}


def taxonomy(numbers: Iterable[int]) -> dict[str, Any]:
    """Returns the part of the enumeration with these numbers, in order; SARIF 2.1.0, section 3.19.3."""
    return {
        "name": "CWE",
        "version": "4.17",
        "organization": "MITRE",
        "shortDescription": {"text": "The MITRE Common Weakness Enumeration."},
        "informationUri": "https://cwe.mitre.org/",
        "isComprehensive": False,
        "taxa": [_taxon(number) for number in numbers],
    }


def _taxon(number: int) -> dict[str, Any]:
    return {
        "id": str(number),
        "shortDescription": {"text": f"{NAMES[number]}."},
        "helpUri": f"https://cwe.mitre.org/data/definitions/{number}.html",
    }
