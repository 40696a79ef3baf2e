"""JUnit XML: a suite is a run of a scenario, a case is a step, the output is the timeline. A file that can't be run is an error.

A suite's ``timestamp`` is the cluster's time when the run began, not the machine's: on virtual time it is the same in every replay.
"""

import re
from pathlib import Path
from xml.etree import ElementTree

from svcsim.clock import format_time
from svcsim.scenario.reports import again
from svcsim.scenario.results import BROKEN, FAILED, SKIPPED, Case, Outcome, Result, WrongFile

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_TOTALS = ("tests", "failures", "errors", "skipped")


def write(path: str, outcomes: list[Outcome]) -> None:
    """Write all runs into one file."""
    suites = [_wrong(outcome) if isinstance(outcome, WrongFile) else _suite(outcome) for outcome in outcomes]
    totals = {name: str(sum(int(suite.attrib[name]) for suite in suites)) for name in _TOTALS}
    took = sum(float(suite.attrib["time"]) for suite in suites)
    root = ElementTree.Element("testsuites", {"name": "svcsim replay", **totals, "time": f"{took:.3f}"})
    root.extend(suites)
    for element in root.iter():
        element.attrib = {name: _text(value) for name, value in element.attrib.items()}
        element.text = _text(element.text or "")
    ElementTree.indent(root)
    Path(path).write_bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")


def _wrong(wrong: WrongFile) -> ElementTree.Element:
    counts = {"tests": "1", "failures": "0", "errors": "1", "skipped": "0", "time": "0.000"}
    suite = ElementTree.Element("testsuite", {"name": wrong.file, **counts, "file": wrong.file})
    case = ElementTree.SubElement(suite, "testcase", name="file", classname=wrong.file, time="0.000")
    error = ElementTree.SubElement(case, "error", type="WrongFile", message=str(wrong.mistakes[0]))
    error.text = "\n".join(map(str, wrong.mistakes))
    return suite


def _suite(result: Result) -> ElementTree.Element:
    scenario = result.scenario
    suite = ElementTree.Element(
        "testsuite",
        name=scenario.title,
        tests=str(len(result.cases) + bool(result.error)),
        failures=str(sum(case.outcome == FAILED for case in result.cases)),
        errors=str(int(result.outcome == BROKEN)),
        skipped=str(sum(case.outcome == SKIPPED for case in result.cases)),
        time=f"{result.wall_s:.3f}",
        timestamp=format_time(result.start_s)[:19],
        file=scenario.file,
    )
    properties = ElementTree.SubElement(suite, "properties")
    facts = {
        "seed": str(scenario.seed),
        "clusterStart": format_time(result.start_s),
        "clusterSeconds": f"{result.cluster_s:.3f}",
        "wallSeconds": f"{result.wall_s:.3f}",
        "journalHash": result.journal_hash,
        "again": again(result),
    }
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for case in result.cases:
        suite.append(_case(result, case))
    if result.error:
        broken = ElementTree.SubElement(suite, "testcase", name="svcsim", classname=scenario.title)
        ElementTree.SubElement(broken, "error", type="Broken", message=result.error)
    return suite


def _case(result: Result, case: Case) -> ElementTree.Element:
    element = ElementTree.Element("testcase", name=case.id, classname=result.scenario.title, time=f"{case.wall_s:.3f}")
    if case.outcome == SKIPPED:
        ElementTree.SubElement(element, "skipped")
    if case.failure is not None:
        failure = ElementTree.SubElement(element, "failure", type="Failed", message=case.failure.message)
        failure.text = "\n".join([case.failure.message, *case.failure.details])
    output = ElementTree.SubElement(element, "system-out")
    moments = [moment.text(result.start_s) for moment in result.timeline.of(case.id)]
    output.text = "\n".join([*moments, *case.looked_at])
    return element


def _text(text: str) -> str:
    """Without the characters XML can't hold."""
    return _NOT_XML.sub("?", text)
