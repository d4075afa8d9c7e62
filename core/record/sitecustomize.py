# SPDX-License-Identifier: Apache-2.0
"""Python imports this at its start in a program under `plimsoll-cli record --snapshot`: it has PyTorch record its memory history from the
moment that CUDA is initialised, and write it when the program ends and at the first out-of-memory error. Without PyTorch it does nothing.
It never fails: what goes wrong is written beside the snapshot, for `record` to tell."""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_PID = os.getpid()


def _name(kind):
    """The main process's file, or one with this process's number; `kind`: "", or ".oom"."""
    stem, end = os.path.splitext(os.environ["PLIMSOLL_SNAPSHOT_FILE"])
    number = "" if os.environ.get("PLIMSOLL_CAPTURE_PID") == str(_PID) else ".%d" % _PID
    return stem + number + kind + end


def _dump(kind):
    if os.getpid() != _PID:  # a fork, whose memory is its parent's
        return
    try:
        import torch

        path = _name(kind)
        torch.cuda.memory._dump_snapshot(path + ".part")
        os.replace(path + ".part", path)
    except Exception as error:
        _note(error)


def _note(error):
    try:
        with open(_name("") + ".error", "w") as file:
            file.write("%s: %s" % (type(error).__name__, error))
    except OSError:
        pass


def _record():
    try:
        import atexit

        import torch

        torch.cuda.memory._record_memory_history(stacks="python")
        written = []

        def on_out_of_memory(*_):
            if not written:
                written.append(True)
                _dump(".oom")

        torch._C._cuda_attach_out_of_memory_observer(on_out_of_memory)
        atexit.register(_dump, "")
    except Exception as error:
        _note(error)


class _TorchCuda:
    """A finder that adds to the import of torch.cuda."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch.cuda":
            return None
        sys.meta_path.remove(_TorchCuda)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_record(module):
            execute(module)
            try:
                module._lazy_call(_record)  # when CUDA is initialised
            except Exception as error:
                _note(error)

        spec.loader.exec_module = execute_and_record
        return spec


def _run_the_one_behind():
    """The sitecustomize that this one hides, if there is one."""
    others = [path for path in sys.path if os.path.abspath(path or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


if "PLIMSOLL_SNAPSHOT_FILE" in os.environ:
    sys.meta_path.insert(0, _TorchCuda)
_run_the_one_behind()
