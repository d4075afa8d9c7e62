# SPDX-License-Identifier: Apache-2.0
# Which Debian 12 packages each job needs, and how they are installed.

# Compiler, generator, linker; ccache and mold only save time.
build_packages="cmake ninja-build g++ ccache mold
    libexpected-dev libfmt-dev libcli11-dev libsimdjson-dev nlohmann-json3-dev robin-map-dev libre2-dev
    libsqlite3-dev zlib1g-dev libmimalloc-dev"
# Qt with the platform plug-ins that open a window, and the fonts the design asks for.
gui_packages="qt6-base-dev qt6-base-dev-tools qt6-svg-dev qt6-qpa-plugins libgl-dev
    fonts-inter fonts-jetbrains-mono fonts-dejavu-core"
test_packages="libbenchmark-dev coinor-libcbc-dev pkg-config git ca-certificates python3 python3-venv python3-dev"
# Only the checks of `packaging/test --all` need these; without them those checks can't run.
check_packages="clang clang-tidy clang-format libclang-rt-14-dev"

missing_packages() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

can_be_root() {
    [ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; } ||
        { [ -t 0 ] && command -v sudo >/dev/null && sudo -v; }
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
        -o Acquire::Retries=3 "$@" </dev/null
}

# An update that fails for one of several sources may still have brought what the installation needs.
update_and_install() {
    apt_get update || note "apt-get update failed; trying the lists that are there"
    apt_get install --no-install-recommends "$@"
}

# install_packages NAME...: 0 when all are there in the end, 1 when the installation failed, 2 when it is not ours to do.
install_packages() {
    command -v dpkg-query >/dev/null || {
        note "This computer has no dpkg (Debian 12 is what is tested); going on with what is installed."
        return 0
    }
    local missing
    missing="$(missing_packages "$@")"
    [ -n "$missing" ] || return 0
    if ! can_be_root; then
        note "Packages are missing, and this is neither root nor a user with sudo. Install them with"
        note "    apt-get install $missing"
        return 2
    fi
    step "install $missing"
    # shellcheck disable=SC2086 # a list of words
    run_step packages retry 3 update_and_install $missing
}

require_packages() {
    install_packages "$@" || exit 2
}
