# SPDX-License-Identifier: Apache-2.0
"""A trunk of named blocks, by itself and as a model."""

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True))

    def forward(self, x):
        return x + self.body(x)


def parts():
    torch.manual_seed(3)
    return {
        "conv": nn.Conv2d(3, 8, 3, padding=1),
        "norm": nn.BatchNorm2d(8),
        "act": nn.ReLU(inplace=True),
        "stage1": nn.Sequential(Residual(8), nn.Dropout(0.3), Residual(8)),
        "stage2": nn.Sequential(Residual(8), nn.Dropout(0.3, inplace=True), Residual(8)),
        "pool": nn.AdaptiveAvgPool2d(1),
        "flatten": nn.Flatten(),
        "head": nn.Linear(8, 5),
    }


class Trunk(nn.Module):
    def __init__(self):
        super().__init__()
        for name, part in parts().items():
            self.add_module(name, part)

    def forward(self, images):
        for part in self.children():
            images = part(images)
        return images
