"""Checks that every public name of the Python package is documented and typed, and that the types of its module of C++ are
those of the module.

python3 -m unittest surface: with this folder and that of the package in PYTHONPATH.
"""

import ast
import importlib
import inspect
import re
import unittest
from pathlib import Path

import rfbench
from rfbench import _core

MODULES = ["rfbench", "rfbench.attention", "rfbench.plugin", "rfbench.sklearn", "rfbench.torch"]
FOLDER = Path(rfbench.__file__).parent


def public_modules():
    for name in MODULES:
        try:
            yield importlib.import_module(name)
        except ModuleNotFoundError as missing:  # scikit-learn and torch need not be there
            print(f"{name} is left out: there is no {missing.name}")


def own_members(kind):
    """Public members of a class, without those that other libraries' classes hand down."""
    for name, member in vars(kind).items():
        if not name.startswith("_") and not isinstance(member, (staticmethod, classmethod)):
            yield name, member


def public_things():
    """(name, object) of all that users call or read: functions, classes and their members."""
    for module in public_modules():
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.ismodule(thing) or name == "__version__":
                continue
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                for member, own in own_members(thing):
                    yield f"{module.__name__}.{name}.{member}", own
    for name in ("MechanismInfo", "ParameterInfo", "SamplingInfo"):
        yield f"rfbench._core.{name}", getattr(_core, name)
        for member, own in own_members(getattr(_core, name)):
            yield f"rfbench._core.{name}.{member}", own


def python_function(thing):
    """The Python function that a public thing runs, or None."""
    thing = thing.fget if isinstance(thing, property) else thing
    return thing if inspect.isfunction(thing) else None


class Documentation(unittest.TestCase):
    def test_every_public_name_has_a_docstring(self):
        seen = 0
        for name, thing in public_things():
            if type(thing).__name__ == "_tuplegetter":  # fields, which their class describes
                continue
            with self.subTest(name=name):
                self.assertTrue((getattr(thing, "__doc__", "") or "").strip(), f"{name} has no docstring")
            seen += 1
        self.assertGreater(seen, 60)

    def test_docstrings_name_their_parameters(self):
        for name, thing in public_things():
            function = python_function(thing)
            if function is None or isinstance(thing, property):
                continue
            module = importlib.import_module(function.__module__)
            said = f"{function.__doc__} {module.__doc__}"
            for parameter in inspect.signature(function).parameters:
                # The rest are words of scikit-learn's and PyTorch's own conventions.
                if parameter in ("self", "causal", "is_causal", "dropout_p", "state", "query", "key", "X", "y"):
                    continue
                with self.subTest(name=name, parameter=parameter):
                    self.assertTrue(re.search(rf"\b{parameter}\b", said), f"{name} does not say what {parameter} is")


class Types(unittest.TestCase):
    def test_every_function_says_its_types(self):
        self.assertTrue((FOLDER / "py.typed").exists())
        seen = 0
        for name, thing in public_things():
            functions = [python_function(thing)]
            if inspect.isclass(thing) and "__init__" in vars(thing):
                functions.append(python_function(thing.__init__))
            for function in filter(None, functions):
                with self.subTest(name=name):
                    for parameter in inspect.signature(function).parameters.values():
                        if parameter.name != "self":
                            self.assertIsNot(parameter.annotation, parameter.empty, f"{name}({parameter.name})")
                    self.assertIn("return", function.__annotations__, name)
                seen += 1
        self.assertGreater(seen, 40)

    def test_the_module_of_cpp_has_the_names_of_its_types(self):
        stubs = ast.parse((FOLDER / "_core.pyi").read_text()).body
        functions = {node.name for node in stubs if isinstance(node, ast.FunctionDef)}
        own = {name for name in vars(_core) if not name.startswith("__")}
        classes = {node.name: node for node in stubs if isinstance(node, ast.ClassDef)}
        self.assertEqual(own, functions | set(classes))
        for name, node in classes.items():
            said = {member.name for member in node.body if not member.name.startswith("__")}
            there = {member for member in vars(getattr(_core, name)) if not member.startswith("__")}
            self.assertEqual(there - {"_pybind11_conduit_v1_"}, said, name)


if __name__ == "__main__":
    unittest.main()
