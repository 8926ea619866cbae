"""The page of the reference that the Python face is the home of, printed as one line of JSON, path to text.

Reads the sources without importing them, so it needs neither a build nor a package. `cargo xtask gen` writes or
compares what it prints.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path

FACE = Path(__file__).resolve().parent.parent / "toolpass"
NATIVE = FACE.parents[1] / "crates" / "toolpass-python" / "src"
PAGE = "docs/reference/python.md"

INTRODUCTION = """# Python

<!-- Made by `cargo xtask gen`; change the docstrings in `python/toolpass`. -->

The names of the package `toolpass`, the settings of a toolkit, and what a tool declares.
"""


def main() -> None:
    """Print the page."""
    settings, defaults = fields_of("_types.py", "Settings"), defaults_of("_toolkit.py", "_DEFAULTS")
    declared = arguments_of(function(tree("_toolkit.py"), "Toolkit", "tool"))
    taken = {name: ast.unparse(default) for name, default in keyword_defaults("_toolkit.py", "Toolkit", "tool").items()}
    page = INTRODUCTION
    page += "\n## Settings\n\nOf `Toolkit(...)` and `configure(...)`. "
    page += "`configure` puts what is left out back to its default, unless `keep=True` is given.\n"
    page += table("setting", [(name, defaults[name], meaning) for name, meaning in settings.items()])
    page += "\n## Declarations\n\nOf `tool(...)`: what a tool says about itself. All are optional.\n"
    page += table("parameter", [(name, taken[name], declared[name]) for name in taken])
    page += "\n## Names\n\nOf the package's root.\n\n| name | is |\n|---|---|\n"
    page += "".join(f"| `{name}` | {cell(summary)} |\n" for name, summary in summaries().items())
    sys.stdout.write(json.dumps({PAGE: page}) + "\n")


def table(what: str, rows: list[tuple[str, str, str]]) -> str:
    """A table of names, defaults and meanings."""
    lines = [f"| `{name}` | `{default}` | {cell(meaning)} |\n" for name, default, meaning in rows]
    return f"\n| {what} | default | meaning |\n|---|---|---|\n" + "".join(lines)


def cell(text: str) -> str:
    """A text that cannot break out of its cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def tree(file: str) -> ast.Module:
    """A source of the face."""
    return ast.parse((FACE / file).read_text(encoding="utf-8"))


def function(module: ast.Module, class_name: str, name: str) -> ast.FunctionDef:
    """The last definition of a method, which is the one behind its overloads."""
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            found = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == name]
            return found[-1]
    raise LookupError(f"{class_name}.{name}")


def keyword_defaults(file: str, class_name: str, name: str) -> dict[str, ast.expr]:
    """The keyword-only parameters of a method, and their defaults."""
    arguments = function(tree(file), class_name, name).args
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {argument.arg: default for argument, default in pairs if default is not None}


def fields_of(file: str, class_name: str) -> dict[str, str]:
    """The fields of a typed dictionary, and what its docstring says of each."""
    for node in tree(file).body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            meanings = entries(ast.get_docstring(node) or "", "Attributes:")
            fields = [
                each.target.id
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            ]
            return {field: meanings[field] for field in sorted(fields)}
    raise LookupError(class_name)


def defaults_of(file: str, name: str) -> dict[str, str]:
    """The values of a dictionary of the module, by key, as they are written."""
    for node in tree(file).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            assert isinstance(node.value, ast.Dict)
            pairs = zip(node.value.keys, node.value.values, strict=True)
            return {str(ast.literal_eval(key)): ast.unparse(value) for key, value in pairs if key is not None}
    raise LookupError(name)


def arguments_of(node: ast.FunctionDef) -> dict[str, str]:
    """What a docstring says of each argument."""
    return entries(ast.get_docstring(node) or "", "Args:")


def entries(docstring: str, heading: str) -> dict[str, str]:
    """The entries `name: text` below a heading of a docstring."""
    section = docstring.partition(heading)[2].partition("\n\n")[0]
    found = re.findall(r"^ {4}\**(\w+): (.*(?:\n {5,}.*)*)", section, flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}


def summaries() -> dict[str, str]:
    """Each name of the root, and the first line of its docstring."""
    root = tree("__init__.py")
    exported = next(
        ast.literal_eval(node.value)
        for node in root.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "__all__"
    )
    known = {"__version__": "The package's version."}
    for path in sorted(NATIVE.rglob("*.rs")):
        known.update(documented_native(path.read_text(encoding="utf-8")))
    for path in sorted(FACE.glob("_*.py")):
        known.update(documented(ast.parse(path.read_text(encoding="utf-8"))))
    aliases = {"Call": "CallContext", "secured_tool": "tool", "tool": "tool"}
    known["tool"] = (ast.get_docstring(function(tree("_toolkit.py"), "Toolkit", "tool")) or "").partition("\n")[0]
    return {name: known.get(aliases.get(name, name), "") for name in exported}


def documented(module: ast.Module) -> dict[str, str]:
    """The classes, functions and described values of a module, each with the first line about it."""
    found: dict[str, str] = {}
    for index, node in enumerate(module.body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                found[node.name] = text.partition("\n")[0]
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            after = module.body[index + 1] if index + 1 < len(module.body) else None
            if not isinstance(target, ast.Name):
                continue
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                found[target.id] = str(after.value.value).partition("\n")[0]
            elif isinstance(node.value, ast.Constant):
                found[target.id] = f"The text `{node.value.value}`."
    return found


def documented_native(source: str) -> dict[str, str]:
    """The classes and functions a Rust source shows to Python, each with the first line about it."""
    shown = r"/// ([^\n]+)\n(?:///[^\n]*\n)*(?:#\[(?!py(?:class|function))[^\n]*\n)*#\[py(?:class|function)[^\n]*\n(?:#\[[^\n]*\n)*"
    pattern = r"(?:^|\n)" + shown + r"pub(?:\(crate\))? (?:struct|enum|fn) (\w+)"
    return {name: text for text, name in re.findall(pattern, source)}


if __name__ == "__main__":
    main()
