# SPDX-License-Identifier: Apache-2.0
# The private Python environment of the tests under real torch: made once per user, shared by all checkouts.

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
