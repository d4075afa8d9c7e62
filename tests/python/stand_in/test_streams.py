# SPDX-License-Identifier: Apache-2.0
"""Steps recorded with CUDA's kernels emulated against those for which PyTorch itself picks the kernels, on fake CUDA tensors and the stand-in GPU."""

from functools import cache

import make
import pytest
from helpers import EXHAUSTIVE, stand_in
from helpers.zoo import ZOO

STEPS = tuple(dict.fromkeys((*ZOO, *make.SAMPLES)))
ATTENTION = ("attention", "attention:bfloat16")  # also recorded on real CUDA tensors, where no cuDNN is asked for
LEAN = tuple(f"{name}/lean" for name in ZOO)
FEW_OPS = ("awkward", "lstm", "gpt2_prompt")  # of which a normal run has the size that people train, of most others the lean one
AUTOCAST = ("resnet18/lean:float16", "gpt2/lean:bfloat16", "vit_b_16/lean:bfloat16", "bert/lean:float16", "lstm/lean:float16", "swin/lean:bfloat16")
ALL = (*STEPS, *ATTENTION, *LEAN, *(f"{name}:{dtype}" for name in LEAN for dtype in ("float16", "bfloat16")))
SOME = {
    "8.0": (*FEW_OPS, *(f"{name}/lean" for name in ("unet", "llama", "t5", "convnext", "mixture")), *ATTENTION, *AUTOCAST[:3]),
    "9.0": ("resnet18/lean", "attention", "lstm/lean", "gpt2_prompt", *AUTOCAST[2:5]),
}
EXHAUSTIVELY = {"8.0": ALL, "9.0": tuple(name for name in ALL if name != "attention:bfloat16")}
OF_CAPABILITY = EXHAUSTIVELY if EXHAUSTIVE else SOME
AT_A_TIME = 12  # steps of a process
CASES = [(capability, name) for capability, names in OF_CAPABILITY.items() for name in names]

# Listed in the manual: where the emulation takes flash, PyTorch takes cuDNN's kernel on 9.0 if heads are a multiple of 8, ...
FLASH, CUDNN = "aten._scaled_dot_product_flash_attention", "aten._scaled_dot_product_cudnn_attention"
HEADS_OF_12 = ("gpt2/lean", "bert/lean")
MATH = "math"  # ... and it doesn't count attention in separate operators


@cache
def compared(capability, part):
    names = OF_CAPABILITY[capability][part * AT_A_TIME : (part + 1) * AT_A_TIME]
    return stand_in.result("helpers.on_stand_in.streams", *names, capability=capability)


def of_step(capability, name):
    return compared(capability, OF_CAPABILITY[capability].index(name) // AT_A_TIME)[name]


def without_math(kernels):
    attention = {kernel: count for kernel, count in kernels.get("attention", {}).items() if kernel != MATH}
    return {**{family: counts for family, counts in kernels.items() if family != "attention"}, **({"attention": attention} if attention else {})}


@pytest.mark.parametrize("capability, name", CASES)
def test_the_emulated_step_is_the_one_that_pytorch_chooses(capability, name):
    step = of_step(capability, name)
    emulated, own = map(without_math, step["kernels"])
    flash = 0 if name.startswith(HEADS_OF_12) else emulated.get("attention", {}).get("flash", 0)
    assert step["ops"] > 60
    assert step["peaks"][0] == step["peaks"][1] > 0
    if capability == "9.0" and flash:
        assert own == {**emulated, "attention": {"cudnn": flash}}
        phases = ("forward", "") if name == "gpt2_prompt" else ("forward", "backward")
        wanted = {f"{phase} {target}{end}" for phase, end in zip(phases, (".default", "_backward.default")) for target in (FLASH, CUDNN) if phase}
        assert {line.partition(" has ")[2] for line in step["differences"]} == wanted
        assert len(step["differences"]) == flash * len(wanted)
    else:
        assert own == emulated
        assert step["differences"] == []
        assert [part for part in step["parts"] if part != "kernels"] == []
