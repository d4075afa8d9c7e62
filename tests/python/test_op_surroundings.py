# SPDX-License-Identifier: Apache-2.0
"""What surrounds a forward under an op plan: other threads, objects that the model holds, tensors put in for one call."""

import threading

import pytest
import torch
from plimsoll import PlanMismatch
from plimsoll.op_refusals import no_functions
from test_op_models import Doubled


def test_retracing_leaves_functions_of_other_threads_alone():
    results = []

    def work():
        x = torch.ones(3, requires_grad=True)
        Doubled.apply(x).sum().backward()
        results.append(x.grad)

    with no_functions():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        with pytest.raises(PlanMismatch, match="custom autograd function Doubled"):
            Doubled.apply(torch.ones(3))
        with torch.no_grad():
            assert torch.equal(Doubled.apply(torch.ones(3)), torch.full((3,), 2.0))
    assert torch.equal(results[0], torch.full((3,), 2.0))
    assert torch.equal(Doubled.apply(torch.ones(3)), torch.full((3,), 2.0))
