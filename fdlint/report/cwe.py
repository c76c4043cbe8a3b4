"""The names of the weaknesses that rules say (https://cwe.mitre.org, version 4.17)."""

from __future__ import annotations

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
