# SPDX-License-Identifier: Apache-2.0
"""What several tests share: models, plans, programs to compare with, rules of the formats."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXHAUSTIVE = os.environ.get("PLIMSOLL_EXHAUSTIVE") == "1"  # packaging/test --exhaustive: all that repeats, too
