"""A program: renders the chart with each set of values it reads, and holds what comes out to the schemas of Kubernetes.

A program of its own because its packages are a site of their own. Reads an object with `chart`, a path, `sets` of
values, and `versions` of Kubernetes. Prints for each set its documents and what is wrong with them, or its refusal.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import helm_python as helm
import kubernetes_validate
import yaml

#: Kinds of operators, which Kubernetes' own schemas do not have.
OF_OPERATORS = {"PrometheusRule", "ServiceMonitor"}


def problems(document: dict[str, Any], versions: list[str]) -> list[str]:
    """What the schemas say against a document."""
    found = []
    for version in versions if document["kind"] not in OF_OPERATORS else []:
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            found.append(f"{document['kind']} by {version}: {error.message}")
    return found


def rendered(chart: helm.Chart, values: dict[str, Any], versions: list[str]) -> dict[str, Any]:
    """One set of values."""
    try:
        chart.validate_schema(values)
        files = chart.render(values, name="demo", namespace="prod")
    except helm.HelmError as error:
        return {"error": str(error)}
    notes = [text for name, text in files.items() if name.endswith("NOTES.txt")]
    texts = [text for name, text in files.items() if name.endswith(".yaml")]
    documents = [one for text in texts for one in yaml.safe_load_all(text) if one]
    wrong = [line for one in documents for line in problems(one, versions)]
    return {"documents": documents, "notes": "\n".join(notes), "wrong": wrong}


def main() -> None:
    """Read, render, print."""
    asked = json.load(sys.stdin)
    with helm.Chart.load(asked["chart"]) as chart:
        results = [rendered(chart, values, asked["versions"]) for values in asked["sets"]]
    lint = helm.lint(asked["chart"], asked["sets"][0], strict=True)
    json.dump({"results": results, "lint": lint}, sys.stdout)


if __name__ == "__main__":
    main()
