#!/bin/sh
# Put the command `shirube` on the user's PATH, and take it away again: `make install`, `make uninstall`.
#
# The program gets an environment of its own: from uv, else from pipx, else one made here. Only the command `shirube` is
# linked, so nobody's python changes. A receipt says what was installed; uninstall removes that and nothing else.
set -eu
cd "$(dirname "$0")"

python=${PYTHON:-python3}
data=${XDG_DATA_HOME:-$HOME/.local/share}/shirube
receipt=$data/installed
source=.${EXTRA:+[$EXTRA]} # make install EXTRA=e5

say() { printf '%s\n' "$*"; }
fail() { # PROBLEM NEXT-STEP
    printf 'error: %s\n  next: %s\n' "$1" "$2" >&2
    exit 2
}
has() { command -v "$1" >/dev/null 2>&1; }
exists() { [ -e "$1" ] || [ -L "$1" ]; }
received() { sed -n "s/^$1=//p" "$receipt" 2>/dev/null || :; }

choose() {
    if has uv; then echo uv; elif has pipx; then echo pipx; else echo venv; fi
}

bin_of() { # HOW
    case $1 in
    uv) uv tool dir --bin ;;
    pipx) pipx environment --value PIPX_BIN_DIR ;;
    *) echo "$HOME/.local/bin" ;;
    esac
}

need_tool() { # HOW
    [ "$1" = venv ] || has "$1" || fail "shirube was installed with $1, and $1 is not on PATH now" \
        "put $1 back on PATH, then run this again; or remove $(received link) and $receipt by hand"
}

is_ours() { # LINK
    [ "$(received link)" = "$1" ] && [ "$(readlink -f "$1")" = "$(received target)" ]
}

install_venv() { # LINK
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "$python is older than Python 3.11, or missing" "name another one: make install PYTHON=python3.12"
    mkdir -p "$data" "${1%/*}"
    env=$(mktemp -d "$data/venv-XXXXXX")
    if ! { "$python" -m venv "$env" && "$env/bin/python" -m pip install --quiet --constraint requirements.lock "$source"; }; then
        rm -rf "$env"
        fail "the packages could not be installed, see above" "mend that, then run this again; nothing was changed"
    fi
    ln -s "$env/bin/shirube" "$1.new-$$"
    mv -f "$1.new-$$" "$1"
}

say_path() { # BIN
    case ":$PATH:" in
    *":$1:"*)
        first=$(command -v shirube || :)
        [ "$first" = "$1/shirube" ] || say "note: your PATH finds $first first; this one is $1/shirube"
        return
        ;;
    esac
    line="export PATH=\"$1:\$PATH\""
    case ${SHELL##*/} in
    zsh) file="$HOME/.zshrc" ;;
    bash) file="$HOME/.bashrc" ;;
    fish) file="$HOME/.config/fish/config.fish" line="fish_add_path \"$1\"" ;;
    *) file="$HOME/.profile" ;;
    esac
    say "$1 is not on your PATH. Add this line to $file and open a new terminal:"
    say "    $line"
}

install() {
    how=$(received how)
    [ -n "$how" ] || how=$(choose)
    need_tool "$how"
    bin=$(bin_of "$how")
    link=$bin/shirube env=
    if exists "$link" && ! is_ours "$link"; then
        fail "$link exists, and 'make install' did not put it there" "move or remove it, then run 'make install' again"
    fi
    rm -rf build/lib build/bdist.* # setuptools would pack modules of earlier builds again
    old=$(received env)
    case $how in
    uv) uv tool install --quiet --reinstall --constraints requirements.lock "$source" ;;
    pipx) pipx install --force --pip-args="--constraint $PWD/requirements.lock" "$source" >/dev/null ;;
    venv) install_venv "$link" ;;
    esac
    mkdir -p "$data"
    printf '%s\n' "how=$how" "link=$link" "target=$(readlink -f "$link")" "env=$env" >"$receipt"
    [ -z "$old" ] || rm -rf "$old"
    case $how in
    venv) say "installed shirube in its own environment, $env" ;;
    *) say "installed shirube with $how" ;;
    esac
    say "the command is $link; 'make uninstall' takes it away"
    say_path "$bin"
}

uninstall() {
    how=$(received how) link=$(received link) env=$(received env)
    if [ -z "$how" ]; then
        say "nothing to remove: 'make install' has installed nothing for this user"
        return
    fi
    need_tool "$how"
    if exists "$link" && ! is_ours "$link"; then
        [ "$how" = venv ] || fail "$link is no longer what 'make install' put there" \
            "look at it; '$how uninstall' may still know the program; then remove $receipt"
        say "left alone: $link, which is no longer what 'make install' put there"
    else
        case $how in
        uv) uv tool uninstall --quiet shirube ;;
        pipx) pipx uninstall shirube >/dev/null ;;
        *) rm -f "$link" ;;
        esac
        say "removed $link"
    fi
    [ -z "$env" ] || { rm -rf "$env" && say "removed $env"; }
    rm -f "$receipt"
    rmdir "$data" 2>/dev/null || :
    say_left
}

say_left() {
    left "${SHIRUBE_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/shirube}" "indexes, made again when needed"
    left "${SHIRUBE_STATE_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/shirube}" "sessions, plans, outcomes"
    left "${SHIRUBE_CONFIG_DIR:-${XDG_CONFIG_HOME:-$HOME/.config}/shirube}" "your settings"
    say "agents that 'shirube install' set up still name it; '.venv/bin/shirube uninstall' here takes that out"
}

left() { # DIRECTORY WHAT
    [ ! -e "$1" ] || say "left $1 ($2)"
}

case ${1:-} in
install | uninstall) "$1" ;;
*) fail "'${1:-}' is neither install nor uninstall" "run 'make install' or 'make uninstall'" ;;
esac
