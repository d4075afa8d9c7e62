# SPDX-License-Identifier: Apache-2.0
"""Training scripts that people have, with a plan and without one: the same weights in the end, and blocks are recomputed."""

import os

import plimsoll
import pytest
import torch
import torch.nn.functional as F

WIDTH, BATCH = 32, 256


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(WIDTH), torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x + self.down(F.silu(self.up(self.norm(x))))


def blocks(count=6, seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(*[Block() for _ in range(count)])


def batches(count):
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(BATCH, WIDTH, generator=generator) for _ in range(count)]


def calls(model):
    return [module.calls for module in model.modules() if isinstance(module, Block)]


def squared(output):
    return output.square().mean()


def fit(model, batch, **options):
    """With a plan that recomputes; the blocks' calls so far are forgotten."""
    fitted = plimsoll.fit(model, batch, optimizer=torch.optim.AdamW, budget="80%", planner="chen", target="cpu", **options)
    assert fitted.plan.content["regions"]
    for module in model.modules():
        if isinstance(module, Block):
            module.calls = 0
    return fitted


def same(planned, plain):
    return all(map(torch.equal, planned.state_dict().values(), plain.state_dict().values()))


def trained(loop, make, *, plan, **options):
    model = make()
    if plan:
        fit(model, batches(1)[0], **options)
    loop(model)
    return model


def check(loop, make=blocks, steps=3, **options):
    """Runs the loop on a model with a plan and on one without; returns both."""
    planned, plain = trained(loop, make, plan=True, **options), trained(loop, make, plan=False)
    assert same(planned, plain)
    assert set(calls(plain)) == {steps} and max(calls(planned)) == 2 * steps
    return planned, plain


def test_clipped_gradients_of_a_scaled_loss():
    def loop(model):
        optimizer = torch.optim.AdamW(model.parameters())
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        for batch in batches(3):
            with torch.autocast("cpu", torch.float16):
                loss = squared(model(batch))
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()

    check(loop, loss=squared, autocast=torch.float16)


def test_accumulated_gradients():
    def loop(model):
        optimizer = torch.optim.AdamW(model.parameters())
        for place, batch in enumerate(batches(4)):
            (squared(model(batch)) / 2).backward()
            if place % 2:
                optimizer.step()
                optimizer.zero_grad()

    check(loop, steps=4, loss=squared)


def test_frozen_weights_beside_low_rank_ones():
    class Adapted(torch.nn.Module):
        def __init__(self, linear):
            super().__init__()
            self.linear = linear.requires_grad_(False)
            self.down, self.up = torch.nn.Linear(linear.in_features, 4, bias=False), torch.nn.Linear(4, linear.out_features, bias=False)

        def forward(self, x):
            return self.linear(x) + self.up(self.down(x))

    def make():
        model = blocks().requires_grad_(False)
        for block in model:
            block.up, block.down = Adapted(block.up), Adapted(block.down)
        return model

    def loop(model):
        optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
        for batch in batches(3):
            squared(model(batch)).backward()
            optimizer.step()
            optimizer.zero_grad()

    planned, _ = check(loop, make, loss=squared)
    assert sum(p.requires_grad for p in planned.parameters()) == 24


def test_two_models_of_a_gan_with_two_optimizers():
    def run(plan):
        generator, critic = blocks(seed=0), torch.nn.Sequential(*blocks(seed=1), torch.nn.Linear(WIDTH, 1))
        if plan:
            fit(generator, batches(1)[0], loss=squared)
            fit(critic, batches(1)[0], loss=lambda score: F.softplus(score).mean())
        optimizers = [torch.optim.Adam(model.parameters(), betas=(0.5, 0.9)) for model in (generator, critic)]
        for noise, real in zip(batches(3), batches(3)):
            made = generator(noise)
            (F.softplus(-critic(real)).mean() + F.softplus(critic(made.detach())).mean()).backward()
            optimizers[1].step()
            optimizers[1].zero_grad()
            F.softplus(-critic(made)).mean().backward()
            optimizers[0].step()
            for optimizer in optimizers:
                optimizer.zero_grad()
        return generator, critic

    planned, plain = run(True), run(False)
    assert all(map(same, planned, plain))
    assert max(calls(planned[0])) == 2 * max(calls(plain[0])) == 6
    assert max(calls(planned[1])) == 2 * max(calls(plain[1])) == 18


@pytest.fixture
def one_process():
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()
    for name in ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"):
        del os.environ[name]


def plain_loop(model):
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in batches(3):
        squared(model(batch)).backward()
        optimizer.step()
        optimizer.zero_grad()


def test_distributed_data_parallel_around_the_planned_model(one_process):
    check(lambda model: plain_loop(torch.nn.parallel.DistributedDataParallel(model)), loss=squared)


def test_fully_sharded_after_the_plan(one_process):
    from torch.distributed.fsdp import fully_shard

    def run(plan):
        model = blocks()
        if plan:
            fit(model, batches(1)[0], loss=squared)
        for block in model:
            fully_shard(block)
        fully_shard(model)
        plain_loop(model)
        return model, {name: value.full_tensor() for name, value in model.state_dict().items()}

    (planned, weights), (plain, expected) = run(True), run(False)
    assert all(map(torch.equal, weights.values(), expected.values()))
    assert max(calls(planned)) == 2 * max(calls(plain)) == 6


def test_the_trainer_of_transformers(tmp_path):
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

    sentences = [{"input_ids": torch.arange(i, i + 64) % 100, "labels": torch.arange(i, i + 64) % 100} for i in range(64)]

    def run(plan, **settings):
        torch.manual_seed(0)
        sizes = {"n_layer": 4, "n_embd": 64, "n_head": 2, "n_positions": 64, "vocab_size": 100, "bos_token_id": 0, "eos_token_id": 0}
        model, counted = GPT2LMHeadModel(GPT2Config(use_cache=False, **sizes)), [0, 0, 0, 0]
        if plan:
            batch = {name: torch.stack([sentence[name] for sentence in sentences[:8]]) for name in sentences[0]}
            plimsoll.fit(
                model, kwargs=batch, optimizer=torch.optim.AdamW, budget="75%", planner="chen", autocast=torch.bfloat16
            )
        for place, block in enumerate(model.transformer.h):
            block.mlp.c_fc.register_forward_hook(lambda *_, place=place: counted.__setitem__(place, counted[place] + 1))
        arguments = TrainingArguments(
            tmp_path, max_steps=3, per_device_train_batch_size=8, gradient_accumulation_steps=2, bf16=True, use_cpu=True, report_to=[],
            save_strategy="no", logging_strategy="no", disable_tqdm=True, **settings,
        )  # fmt: skip
        Trainer(model, arguments, train_dataset=sentences).train()
        return model, counted

    (planned, with_plan), (plain, without) = run(True), run(False)
    assert same(planned, plain) and max(with_plan) == 12 and without == [6, 6, 6, 6]
    with pytest.raises(plimsoll.PlanMismatch, match=r"checkpoints a part of itself .*gradient_checkpointing_disable\(\)"):
        run(True, gradient_checkpointing=True)
