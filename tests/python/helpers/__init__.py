# SPDX-License-Identifier: Apache-2.0
"""What several tests share: models, plans, programs to compare with, rules of the formats."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
