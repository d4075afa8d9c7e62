# SPDX-License-Identifier: Apache-2.0
"""What can go wrong when a recorded step is executed: each trap with the remedy, each refusal with its sentence."""

import random

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.small import Model, batch, tied
from helpers.step_plans import plan_of, random_again
from helpers.step_training import Training, assert_same_bits
from plimsoll import TraceError
from plimsoll.record.tracing import trace_graph
from torch.nn.utils import prune, spectral_norm, weight_norm
from torch.utils.checkpoint import checkpoint


def made(body, *args):
    torch.manual_seed(0)
    model = Model(body)
    optimizer = lambda parameters: torch.optim.SGD(parameters, lr=0.1)  # noqa: E731
    return {"model": model, "args": (batch(), *args), "loss": lambda output: output, "optimizer": optimizer}


def assert_exact(arguments, steps=3, share=0.6):
    """Keeps everything, then drops a random share, against eager."""
    given = {name: value for name, value in arguments.items() if name in ("args", "kwargs", "loss")}
    graph = trace_graph(arguments["model"], target="cpu", **given)
    training = Training(arguments)
    kept = plimsoll.compile_step(training.model, loss=training.loss)
    planned = kept.with_plan(plan_of(graph, random_again(graph, 1, share)))
    for number in range(steps):
        training.next_batch(number)
        expected = training.outcome(training.eager)
        for step in (kept, planned):
            assert_same_bits(expected, training.outcome(lambda: step(*training.args, **training.kwargs)))
        training.optimizer.step()
    return kept


# ---- traps, with their remedies ----


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("how", ["spectral norm", "weight norm", "pruning"])
def test_weights_that_a_hook_makes_before_each_forward(how):
    """They are attributes that every forward replaces; spectral norm also writes its buffers."""
    arguments = made(lambda model, hidden: F.gelu(model.last(hidden)))
    last = arguments["model"].last
    if how == "pruning":
        prune.l1_unstructured(last, "weight", 0.5)
    else:
        (spectral_norm if how == "spectral norm" else weight_norm)(last)
    step = assert_exact(arguments)
    assert len(step._programs) == 1
    arguments["model"](batch())  # makes them anew, which is no other step
    assert_exact(arguments)


def test_in_place_geometry_becomes_a_view():
    def body(model, hidden):
        hidden = hidden * 2
        hidden.unsqueeze_(0).transpose_(0, 1)
        return hidden.squeeze_(1) + 1

    assert_exact(made(body))


def test_constants_are_cloned_every_step():
    def body(model, hidden):
        scale = torch.tensor([1.0, 2.0] * 4)
        scale += hidden.detach().mean()  # writes into what a recording would hand out again
        return hidden * scale

    assert_exact(made(body))


def test_a_tensor_that_the_model_keeps_is_bound_not_copied():
    def body(model, hidden):
        return hidden * model.scale

    arguments = made(body)
    arguments["model"].scale = torch.ones(8)  # no buffer
    step = assert_exact(arguments)
    arguments["model"].scale.fill_(3.0)
    training = Training(arguments)
    training.next_batch(0)
    expected = training.outcome(training.eager)
    assert_same_bits(expected, training.outcome(lambda: step(*training.args)))


def test_numbers_keep_their_promotion():
    def body(model, hidden):
        half = hidden.to(torch.bfloat16) * 3.7 + 1  # a tensor of float32 would give float32
        return (half / 3).float() + hidden.long() * 2

    assert_exact(made(body))


def test_random_numbers_are_drawn_again_alike():
    def body(model, hidden):
        hidden = F.dropout(F.gelu(F.dropout(hidden, 0.3)), 0.4)
        return F.gelu(hidden + torch.randn_like(hidden))

    assert_exact(made(body), share=1.0)


def test_batch_norm_is_repeated_without_its_statistics():
    torch.manual_seed(0)
    assert_exact(tied(), share=1.0)


def test_every_writer_of_a_dropped_value_is_repeated():
    def body(model, hidden):
        hidden = F.gelu(hidden)
        hidden += 1
        hidden.mul_(torch.sigmoid(hidden))
        view = hidden[:, :4]
        view.clamp_(max=0.5)
        return torch.tanh(hidden) * hidden

    assert_exact(made(body), share=1.0)


def test_a_checkpoint_inside_the_model_takes_and_puts_back_random_states():
    def body(model, hidden):
        inner = lambda value: F.dropout(F.gelu(value), 0.5)  # noqa: E731
        return checkpoint(inner, hidden, use_reentrant=False) + F.dropout(hidden, 0.5)

    step = assert_exact(made(body))
    assert "random_state.save('cpu')" in step.source(batch()) and "random_state.load('cpu', s0)" in step.source(batch())


def test_gradients_that_are_there_are_added_to_in_place():
    torch.manual_seed(0)
    training = Training(tied())
    step = plimsoll.compile_step(training.model, loss=training.loss)
    results = []
    for run in (training.eager, lambda: step(*training.args)):
        training.next_batch(0)
        first = training.outcome(run)
        kept = {n: p.grad for n, p in training.model.named_parameters() if p.grad is not None}
        for _ in range(2):
            run()
        assert all(p.grad is kept[n] for n, p in training.model.named_parameters() if n in kept)
        results.append({n: g.clone() for n, g in kept.items()} | {"first loss": first["loss"]})
    assert_same_bits(*results)


def test_gradients_of_some_parameters_only():
    training = Training(made(lambda model, hidden: hidden.relu()))
    step = plimsoll.compile_step(training.model, loss=training.loss)
    results = []
    for run in (training.eager, lambda: step(*training.args)):
        training.next_batch(0)
        training.outcome(run)
        training.model.last.weight.grad = None
        run()
        results.append({n: p.grad.clone() for n, p in training.model.named_parameters()})
    assert_same_bits(*results)


def test_gradients_can_be_clipped_and_accumulated_by_eager_code_afterwards():
    training = Training(made(lambda model, hidden: hidden.relu()))
    step = plimsoll.compile_step(training.model, loss=training.loss)
    results = []
    for run in (training.eager, lambda: step(*training.args)):
        training.next_batch(0)
        training.outcome(run)
        norm = torch.nn.utils.clip_grad_norm_(training.model.parameters(), 0.01)
        training.eager()
        results.append({n: p.grad.clone() for n, p in training.model.named_parameters()} | {"norm": norm})
    assert_same_bits(*results)


def test_the_recorded_mode_holds_not_the_surrounding_one():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        training = Training(made(lambda model, hidden: F.softmax(hidden, -1)))
        step = plimsoll.compile_step(training.model, loss=training.loss)
        training.next_batch(0)
        assert_same_bits(training.outcome(training.eager), training.outcome(lambda: step(*training.args)))
        assert "bfloat16" in step.source(*training.args)
    assert "bfloat16" not in step.source(*training.args)  # outside of autocast it is another step


def test_wrong_geometry_of_a_fake_kernel_is_put_right_at_the_first_real_step():
    @torch.library.custom_op("plimsoll_test::with_workspace", mutates_args=())
    def with_workspace(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x * 2, torch.full((1000,), 3.0)

    @with_workspace.register_fake
    def _(x):
        return torch.empty_like(x), x.new_empty(0)

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            result, workspace = with_workspace(x)
            context.save_for_backward(workspace)
            return result

        @staticmethod
        def backward(context, gradient):
            (workspace,) = context.saved_tensors
            return gradient * 2 + workspace.sum() * 0

    step = assert_exact(made(lambda model, hidden: Doubled.apply(hidden)))
    assert len(step.corrections) == 2 and "4000 bytes, recorded were 0" in step.corrections[1]
    assert "(1000,)" in step.corrections[0] and "plimsoll_test.with_workspace.default" in step.corrections[0]


def twice():
    """An op that returns one tensor twice, of which its fake says that they are two."""
    if not hasattr(torch.ops.plimsoll_twice, "twice"):
        library = torch.library.Library("plimsoll_twice", "FRAGMENT")
        library.define("twice(Tensor x) -> (Tensor, Tensor)")
        library.impl("twice", lambda x: (x * 2,) * 2, "CPU")
        library.impl("twice", lambda x: (torch.empty_like(x), torch.empty_like(x)), "Meta")
        twice.library = library  # its ops live as long as it does
    return torch.ops.plimsoll_twice.twice


def test_results_in_one_memory_that_were_recorded_as_two():
    def body(model, hidden):
        one, other = twice()(hidden.detach())
        return hidden * one + F.gelu(hidden * other)

    arguments = made(body)
    step = assert_exact(arguments)
    assert len(step.corrections) == 1 and "returns memory that is another tensor's, too: copied" in step.corrections[0]
    arguments["model"].zero_grad(set_to_none=True)
    lives = step.stream(*arguments["args"]).lives
    assert sum(life[0] == 128 and life[1] >= 0 for life in lives) >= 2  # 4 x 8 numbers each

    def writes(model, hidden):
        one, other = twice()(hidden.detach())
        one.add_(1)
        return hidden * one + hidden * other

    with pytest.raises(TraceError, match="memory that is another tensor's, too, and written later"):
        plimsoll.compile_step(Model(writes), loss=lambda output: output)(batch())


def test_the_loss_takes_targets_and_other_shapes_are_recorded_anew():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 5))
    step = plimsoll.compile_step(model, loss=F.cross_entropy, targets=1)
    for count in (4, 7, 4):
        images, labels = batch(count), torch.arange(count) % 5
        model.zero_grad(set_to_none=True)
        F.cross_entropy(model(images), labels).backward()
        expected = {n: p.grad for n, p in model.named_parameters()}
        model.zero_grad(set_to_none=True)
        step(images, labels)
        assert_same_bits(expected, {n: p.grad for n, p in model.named_parameters()})


def test_eval_mode_and_frozen_parameters_are_other_steps():
    training = Training(made(lambda model, hidden: F.dropout(hidden, 0.5, model.training)))
    step = plimsoll.compile_step(training.model, loss=training.loss)
    training.next_batch(0)
    step(*training.args)
    training.model.eval()
    training.model.first.weight.requires_grad_(False)
    assert_same_bits(training.outcome(training.eager), training.outcome(lambda: step(*training.args)))


def test_inputs_that_are_one_object_and_inputs_that_are_two():
    body = lambda model, hidden, a, b: hidden + a.add_(1) * b  # noqa: E731
    training = Training(made(body, torch.zeros(8), torch.zeros(8)))
    step = plimsoll.compile_step(training.model, loss=training.loss)
    for same in (False, True, False):
        results = []
        for run in (training.model, step):
            a = torch.full((8,), 2.0)
            results.append({"loss": run(batch(), a, a if same else torch.full((8,), 2.0)).detach(), "a": a})
        assert_same_bits(*results)


def test_the_model_is_as_before_after_recording():
    torch.manual_seed(0)
    training = Training(tied())
    training.next_batch(0)
    before = {n: t.clone() for n, t in training.model.state_dict().items()}
    state, python = torch.get_rng_state(), random.getstate()
    assert "aten_native_batch_norm" in plimsoll.compile_step(training.model, loss=training.loss).source(*training.args)
    assert_same_bits(before, training.model.state_dict())
    assert torch.equal(state, torch.get_rng_state()) and python == random.getstate()
    assert all(p.grad is None for p in training.model.parameters())
