# SPDX-License-Identifier: Apache-2.0
"""What a GPU's memory holds besides tensors: `python tests/gpu/scratch.py OUT.json`

The driver's context and libraries, cuBLAS workspaces by thread and setting, and for single ops of several sizes the bytes that their kernels
allocate and free again inside of one call, each as requested and as allocated.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Iterator

import torch
import torch.nn.functional as F

aten = torch.ops.aten
WORKSPACES = ({}, {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}, {"CUBLAS_WORKSPACE_CONFIG": ":16:8"}, {"TORCH_CUBLASLT_UNIFIED_WORKSPACE": "0"},
              {"CUBLASLT_WORKSPACE_SIZE": "4096"})  # fmt: skip


def counters() -> dict[str, int]:
    stats = torch.cuda.memory_stats()
    return {name: stats.get(f"{name}_bytes.all.{when}", 0) for when in ("current",) for name in ("requested", "allocated", "reserved")}


def used() -> int:
    """Bytes of the device that are in use and not PyTorch's tensors: right where nothing else runs on it."""
    free, total = torch.cuda.mem_get_info()
    return total - free - torch.cuda.memory_reserved()


def context() -> dict[str, int]:
    """After each kind of kernel has run once."""
    found = {}
    torch.zeros(1, device="cuda")
    found["first tensor"] = used()
    x = torch.ones(256, 256, device="cuda")
    (x + 1).sum().item()
    found["elementwise"] = used()
    (x @ x).sum().item()
    found["product in float32"] = used()
    half = x.bfloat16()
    (half @ half).sum().item()
    F.linear(half, half, half[0]).sum().item()
    found["products in bfloat16"] = used()
    image = torch.ones(8, 64, 56, 56, device="cuda", requires_grad=True)
    F.conv2d(image, torch.ones(64, 64, 3, 3, device="cuda", requires_grad=True), padding=1).sum().backward()
    torch.cuda.synchronize()
    found["convolution and its backward"] = used()
    q = torch.ones(2, 4, 128, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    F.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
    torch.cuda.synchronize()
    found["attention in bfloat16"] = used()
    return found


def workspaces() -> list[dict[str, Any]]:
    """Bytes that stay after the first product of a thread, and the most during it."""
    x, bias = torch.ones(256, 256, device="cuda"), torch.ones(256, device="cuda")
    products: dict[str, Callable[[], Any]] = {
        "mm": lambda: x @ x, "addmm": lambda: F.linear(x, x, bias), "bfloat16 mm": lambda: x.bfloat16() @ x.bfloat16(), "mm again": lambda: x @ x,
    }  # fmt: skip
    found = []

    def run(thread: str) -> None:
        for name, product in products.items():
            torch.cuda.synchronize()
            before = counters()
            torch.cuda.reset_peak_memory_stats()
            made = product()
            torch.cuda.synchronize()
            peak = torch.cuda.memory_stats()["requested_bytes.all.peak"]
            del made
            after = counters()
            found.append({"thread": thread, "product": name, "stays": after["requested"] - before["requested"], "peak": peak - before["requested"]})

    run("first")
    other = threading.Thread(target=run, args=("second",))
    other.start()
    other.join()
    weight = torch.ones(256, 256, device="cuda", requires_grad=True)
    before = counters()["requested"]
    loss = (x @ weight).sum()
    middle = counters()["requested"]
    loss.backward()
    del loss
    found.append({"thread": "backward", "product": "mm", "stays": counters()["requested"] - before - weight.grad.nbytes, "peak": middle - before})
    told = getattr(torch._C, "_cuda_getCublasWorkspaceSize", None)
    return [*found, {"told": told() if told is not None else None}]


def transient(run: Callable[[], Any]) -> dict[str, int]:
    """Bytes allocated and freed inside one call, beyond its results."""
    for _ in range(2):
        made = run()
        del made
    torch.cuda.synchronize()
    torch.cuda.memory._record_memory_history(max_entries=100_000, stacks="python")
    made = run()
    torch.cuda.synchronize()
    events = torch.cuda.memory._snapshot()["device_traces"][0]
    torch.cuda.memory._record_memory_history(None)
    live = most = 0
    sizes = []
    for event in events:
        if event["action"] == "alloc":
            live += event["size"]
            sizes.append(event["size"])
        elif event["action"] == "free_completed":
            live -= event["size"]
        most = max(most, live)
    del made
    return {"scratch": most - live, "results": live, "sizes": sizes}


def cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    device = torch.device("cuda")

    def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.randn(*shape, device=device, dtype=dtype)

    for count, vocabulary, width in ((64, 100, 32), (1024, 50257, 768), (4096, 32000, 1024), (8192, 32000, 4096), (3073, 1000, 64)):
        index, grad = torch.randint(vocabulary, (count,), device=device), random(count, width)
        yield f"embedding_dense_backward {count} of {vocabulary} x {width}", lambda g=grad, i=index, v=vocabulary: aten.embedding_dense_backward(g, i, v, -1, False)
        table = random(vocabulary, width)
        yield f"index_put_ accumulate {count} of {vocabulary} x {width}", lambda t=table, g=grad, i=index: aten._index_put_impl_(t, [i], g, True, True)
        yield f"index_add_ {count} of {vocabulary} x {width}", lambda t=table, g=grad, i=index: t.index_add_(0, i, g)
    for count in (1000, 100_000, 10_000_000):
        x = random(count)
        yield f"sort {count}", lambda x=x: torch.sort(x)
        yield f"topk 10 of {count}", lambda x=x: torch.topk(x, 10)
        yield f"cumsum {count}", lambda x=x: torch.cumsum(x, 0)
        yield f"sum {count}", lambda x=x: x.sum()
        yield f"nonzero {count}", lambda x=x: torch.nonzero(x > 0)
        yield f"randperm {count}", lambda n=count: torch.randperm(n, device=device)
    for rows, width in ((4096, 1024), (8192, 4096), (2048, 50257)):
        x = random(rows, width)
        yield f"sum of rows {rows} x {width}", lambda x=x: x.sum(0)
        yield f"softmax {rows} x {width}", lambda x=x: torch.softmax(x, -1)
        y = torch.log_softmax(x, -1)
        yield f"log_softmax backward {rows} x {width}", lambda x=x, y=y: aten._log_softmax_backward_data(x, y, -1, torch.float32)
        w = random(width)
        out, mean, rstd = aten.native_layer_norm(x, [width], w, w, 1e-5)
        yield f"native_layer_norm {rows} x {width}", lambda x=x, w=w, n=width: aten.native_layer_norm(x, [n], w, w, 1e-5)
        yield f"native_layer_norm_backward {rows} x {width}", lambda x=x, w=w, m=mean, r=rstd, n=width: aten.native_layer_norm_backward(
            x, x, [n], m, r, w, w, [True, True, True])  # fmt: skip
    for dtype in (torch.float32, torch.bfloat16):
        short = str(dtype).partition(".")[2]
        for batch, heads, length, depth in ((2, 4, 128, 64), (4, 12, 1024, 64), (1, 32, 4096, 128), (2, 8, 200, 36)):
            q = random(batch, heads, length, depth, dtype=dtype)
            made = q.detach().clone().requires_grad_()

            def both(made: torch.Tensor = made) -> Any:
                return torch.autograd.grad(F.scaled_dot_product_attention(made, made, made, is_causal=True).sum(), made)

            yield f"attention {short} {batch} x {heads} x {length} x {depth}", lambda q=q: F.scaled_dot_product_attention(q, q, q, is_causal=True)
            yield f"attention and its backward {short} {batch} x {heads} x {length} x {depth}", both
        for m, k, n in ((256, 256, 256), (4096, 1024, 4096), (8192, 768, 50257), (50, 33, 17)):
            a, b, c = random(m, k, dtype=dtype), random(k, n, dtype=dtype), random(n, dtype=dtype)
            yield f"mm {short} {m} x {k} x {n}", lambda a=a, b=b: a @ b
            yield f"addmm {short} {m} x {k} x {n}", lambda a=a, b=b, c=c: torch.addmm(c, a, b)
        for channels, size, kernel, stride, batch in ((3, 224, 7, 2, 64), (64, 56, 3, 1, 64), (128, 28, 3, 1, 64), (256, 14, 3, 1, 64), (512, 7, 3, 1, 64),
                                                      (64, 56, 1, 1, 64), (32, 112, 3, 1, 8)):  # fmt: skip
            for layout in (torch.contiguous_format, torch.channels_last):
                x = random(batch, channels, size, size, dtype=dtype).to(memory_format=layout)
                w = random(64, channels, kernel, kernel, dtype=dtype).to(memory_format=layout)
                place = ([stride] * 2, [kernel // 2] * 2, [1, 1], False, [0, 0], 1)
                y = aten.convolution(x, w, None, *place)
                name = f"{short} {str(layout).partition('.')[2]} {batch} x {channels} x {size}, {kernel} x {kernel}, stride {stride}"
                yield f"convolution {name}", lambda x=x, w=w, p=place: aten.convolution(x, w, None, *p)
                yield f"convolution_backward {name}", lambda y=y, x=x, w=w, p=place: aten.convolution_backward(y, x, w, None, *p, [True, True, False])
        x, w = random(64, 64, 56, 56, dtype=dtype), torch.ones(64, device=device)
        yield f"batch norm {short} 64 x 64 x 56", lambda x=x, w=w: F.batch_norm(x, w.clone(), w.clone(), w, w, True)


def main() -> None:
    if sys.argv[1] == "--workspaces":
        print(json.dumps(workspaces()))
        return
    out = Path(sys.argv[1])
    found: dict[str, Any] = {"device": torch.cuda.get_device_name(), "capability": torch.cuda.get_device_capability(), "torch": torch.__version__}
    found["context"] = context()
    found["cudnn"] = torch.backends.cudnn.version()
    found["workspaces"] = []
    for settings in WORKSPACES:
        done = subprocess.run([sys.executable, __file__, "--workspaces"], capture_output=True, text=True, env=os.environ | settings)
        found["workspaces"].append([settings, json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else done.stderr[-500:]])
    out.write_text(json.dumps(found))
    found["ops"] = {}
    for name, run in cases():
        try:
            found["ops"][name] = transient(run)
        except RuntimeError as error:
            found["ops"][name] = {"error": str(error)[:200]}
        out.write_text(json.dumps(found, indent=0))


if __name__ == "__main__":
    main()
