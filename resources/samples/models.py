# SPDX-License-Identifier: Apache-2.0
"""Training steps of well-known models, as trace()'s arguments: made under plimsoll.building() they take no memory.

Sizes are arguments; the defaults are those of the shipped samples. Networks that torchvision and transformers have come from there.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.nn.functional as F


def sgd() -> Any:
    return functools.partial(torch.optim.SGD, lr=0.1, momentum=0.9)


def adamw() -> Any:
    return functools.partial(torch.optim.AdamW, lr=1e-4)


def classifier(model: torch.nn.Module, name: str, batch: int, size: int, optimizer: Any, classes: int = 1000) -> dict[str, Any]:
    """Images float32 (batch, 3, size, size), labels int64 (batch,)."""
    labels = torch.arange(batch) % classes
    return {
        "model": model,
        "args": (torch.randn(batch, 3, size, size),),
        "loss": functools.partial(F.cross_entropy, target=labels),
        "optimizer": optimizer,
        "name": name,
    }


def _tokens(batch: int, length: int, vocabulary: int) -> torch.Tensor:
    return (torch.arange(batch * length) * 7919 % vocabulary).view(batch, length)


def _language_model(model: torch.nn.Module, name: str, batch: int, length: int, vocabulary: int) -> dict[str, Any]:
    """The labels are the tokens themselves, the same tensor, as transformers' causal models take them."""
    tokens = _tokens(batch, length, vocabulary)
    return {"model": model, "kwargs": {"input_ids": tokens, "labels": tokens}, "optimizer": adamw(), "name": name}


def resnet18(batch: int = 128, size: int = 224) -> dict[str, Any]:
    from torchvision.models import resnet18 as build

    return classifier(build(), "ResNet-18", batch, size, sgd())


def densenet121(batch: int = 128, size: int = 224) -> dict[str, Any]:
    from torchvision.models import densenet121 as build

    return classifier(build(), "DenseNet-121", batch, size, sgd())


def mobilenet_v3(batch: int = 128, size: int = 224) -> dict[str, Any]:
    from torchvision.models import mobilenet_v3_large as build

    return classifier(build(), "MobileNet-v3", batch, size, sgd())


def vit_b_16(batch: int = 64, size: int = 224) -> dict[str, Any]:
    from torchvision.models import vit_b_16 as build

    return classifier(build(image_size=size), "ViT-B/16", batch, size, adamw())


def swin(batch: int = 64, size: int = 224) -> dict[str, Any]:
    from torchvision.models import swin_t as build

    return classifier(build(), "Swin-T", batch, size, adamw())


def convnext(batch: int = 64, size: int = 224) -> dict[str, Any]:
    from torchvision.models import convnext_tiny as build

    return classifier(build(), "ConvNeXt-T", batch, size, adamw())


def gpt2(batch: int = 8, length: int = 1024, **changes: Any) -> dict[str, Any]:
    from transformers import GPT2Config, GPT2LMHeadModel

    options = {"vocab_size": 50257, "resid_pdrop": 0.1, "embd_pdrop": 0.1, "attn_pdrop": 0.1, "use_cache": False, **changes}
    config = GPT2Config(**options)
    return _language_model(GPT2LMHeadModel(config), "GPT-2 small", batch, length, config.vocab_size)


def gpt2_prompt(batch: int = 1, length: int = 1024) -> dict[str, Any]:
    """Inference over a whole prompt."""
    step = gpt2(batch, length)
    return {"model": step["model"], "kwargs": {"input_ids": step["kwargs"]["input_ids"]}, "mode": "inference", "name": "GPT-2 small, prompt"}


def bert(batch: int = 32, length: int = 512, **changes: Any) -> dict[str, Any]:
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(**changes)
    step = _language_model(BertForMaskedLM(config), "BERT-base", batch, length, config.vocab_size)
    step["kwargs"]["attention_mask"] = torch.ones(batch, length, dtype=torch.int64)
    return step


def llama(
    batch: int = 4, length: int = 2048, layers: int = 8, width: int = 2048, inner: int = 5632, heads: int = 16, groups: int = 4,
    vocabulary: int = 32000, name: str = "Llama-style, 8 layers",
) -> dict[str, Any]:  # fmt: skip
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=width, intermediate_size=inner, num_hidden_layers=layers, num_attention_heads=heads,
        num_key_value_heads=groups, max_position_embeddings=max(length, 2048), use_cache=False, attention_dropout=0.0,
    )  # fmt: skip
    return _language_model(LlamaForCausalLM(config), name, batch, length, vocabulary)


def llama_7b(batch: int = 1, length: int = 4096) -> dict[str, Any]:
    """Seven billion parameters in bfloat16; the fused AdamW, as transformers' Trainer takes it: foreach would hold another copy
    of the parameters, and that would be the peak."""
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        step = llama(batch, length, layers=32, width=4096, inner=11008, heads=32, groups=32, name="Llama, 7 billion parameters")
        return {**step, "optimizer": functools.partial(torch.optim.AdamW, lr=1e-4, fused=True)}
    finally:
        torch.set_default_dtype(default)


def t5(batch: int = 16, length: int = 512, answer: int = 128, **changes: Any) -> dict[str, Any]:
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(use_cache=False, decoder_start_token_id=0, **changes)
    kwargs = {"input_ids": _tokens(batch, length, config.vocab_size), "labels": _tokens(batch, answer, config.vocab_size)}
    return {"model": T5ForConditionalGeneration(config), "kwargs": kwargs, "optimizer": adamw(), "name": "T5-small"}


class _DoubleConvolution(torch.nn.Sequential):
    def __init__(self, given: int, made: int):
        super().__init__(
            torch.nn.Conv2d(given, made, 3, padding=1, bias=False), torch.nn.BatchNorm2d(made), torch.nn.ReLU(inplace=True),
            torch.nn.Conv2d(made, made, 3, padding=1, bias=False), torch.nn.BatchNorm2d(made), torch.nn.ReLU(inplace=True),
        )  # fmt: skip


class UNet(torch.nn.Module):
    """Four halvings and four doublings with skip connections (Ronneberger et al. 2015, padded, with batch norm).

    Images (batch, 3, height, width), both divisible by 16, in; scores (batch, classes, height, width) out.
    """

    def __init__(self, classes: int = 21, base: int = 64):
        super().__init__()
        widths = [base << level for level in range(5)]
        self.first = _DoubleConvolution(3, base)
        self.pool = torch.nn.MaxPool2d(2)
        self.down = torch.nn.ModuleList(_DoubleConvolution(a, b) for a, b in zip(widths, widths[1:]))
        self.up = torch.nn.ModuleList(torch.nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(widths[-2::-1], widths[:0:-1]))
        self.join = torch.nn.ModuleList(_DoubleConvolution(b, a) for a, b in zip(widths[-2::-1], widths[:0:-1]))
        self.last = torch.nn.Conv2d(base, classes, 1)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        skips = [self.first(images)]
        for down in self.down:
            skips.append(down(self.pool(skips[-1])))
        hidden = skips.pop()
        for up, join in zip(self.up, self.join):
            hidden = join(torch.cat([skips.pop(), up(hidden)], dim=1))
        return self.last(hidden)


def unet(batch: int = 16, size: int = 256, base: int = 64, classes: int = 21) -> dict[str, Any]:
    labels = torch.arange(batch * size * size).view(batch, size, size) % classes
    return {
        "model": UNet(classes, base),
        "args": (torch.randn(batch, 3, size, size),),
        "loss": functools.partial(F.cross_entropy, target=labels),
        "optimizer": adamw(),
        "name": "U-Net",
    }
