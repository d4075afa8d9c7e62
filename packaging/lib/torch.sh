# SPDX-License-Identifier: Apache-2.0
# The private Python environments of the tests under real torch: made once per user, shared by all checkouts.

older_torches="2.4 2.6"

torch_env="${XDG_CACHE_HOME:-$HOME/.cache}/plimsoll/torch-2.15"
torch_python="$torch_env/bin/python"
torch_pins="$root/resources/pytorch/constraints-test.txt"

torch_env_is_ready() {
    [ -x "$torch_python" ] && cmp -s "$torch_pins" "$torch_env/plimsoll-stamp.txt" &&
        "$torch_python" -c 'import torch, pytest' >/dev/null 2>&1
}

# First without touching what is there, then with a fresh environment.
install_torch() {
    if ! "$torch_python" -m pip --version >/dev/null 2>&1; then
        rm -rf "$torch_env"
        /usr/bin/python3 -m venv "$torch_env" || return 1
    fi
    if ! "$torch_python" -m pip install --disable-pip-version-check --no-input --retries 5 --timeout 120 \
        -r "$torch_pins" || ! "$torch_python" -c 'import torch, pytest'; then
        rm -f "$torch_env/plimsoll-stamp.txt"
        [ -e "$torch_env/plimsoll-tried" ] && rm -rf "$torch_env"
        [ -d "$torch_env" ] && touch "$torch_env/plimsoll-tried"
        return 1
    fi
    rm -f "$torch_env/plimsoll-tried"
    cp "$torch_pins" "$torch_env/plimsoll-stamp.txt"
}

# Two checkouts may ask at the same time: the second waits and finds it ready.
make_torch_env() {
    mkdir -p "$(dirname "$torch_env")" || return 1
    exec 8>"$torch_env.lock" || return 1
    flock -w 1200 8 || return 1
    torch_env_is_ready || retry 4 install_torch
}

# with_older_torch VERSION COMMAND...: runs it with the names above standing for the environment of that version.
with_older_torch() {
    local version="$1"
    shift
    (
        torch_env="$(dirname "$torch_env")/torch-$version"
        torch_python="$torch_env/bin/python"
        torch_pins="$root/resources/pytorch/constraints-torch-$version.txt"
        "$@"
    )
}

# The package imports and traces there: the proof of a convolutional network and of a transformer (the table is the newest
# one's), at the size of the table. Each version leaves a file of what came out.
prove_with_torch() {
    PLIMSOLL_EXHAUSTIVE=1 PYTHONPATH="$root/resources/pytorch/src" OMP_NUM_THREADS=1 PLIMSOLL_CLI="$root/build/release/bin/plimsoll-cli" \
        PLIMSOLL_LOOP_CHECK="$root/build/release/bin/closed_loop_check" \
        "$torch_python" "$root/packaging/lib/run_pytest.py" "$root/build/release/pytest_$(basename "$torch_env")" \
        -k "(resnet18 or gpt2) and not table" "$root/tests/python/record/test_proof.py"
}
