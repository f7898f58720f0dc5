# SPDX-License-Identifier: BSD-2-Clause
"""Load scripts as modules, since calling a function is faster than starting a program."""
import importlib.machinery
import importlib.util
import pathlib

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


def load(name):
    """A script as a module, whose main() has not run."""
    loader = importlib.machinery.SourceFileLoader(f"{name.replace('-', '_')}_script",
                                                  str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module
