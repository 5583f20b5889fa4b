#!/bin/sh
# Put the command `shirube` on the user's PATH, and take it away again: `make install`, `make uninstall`.
#
# The program gets an environment of its own: from uv, else from pipx, else one made here. Only the commands `shirube` and
# `michishirube` (the same) are linked, so nobody's python changes. A receipt says what was installed; uninstall removes
# that and nothing else. On the package index `shirube` is another project, so ours is the distribution `michishirube`.
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
    [ "$(received link)" = "${1%/*}/shirube" ] && [ "$(readlink -f "$1")" = "$(target_of "$1")" ]
}

target_of() { # LINK
    target=$(received target)
    echo "${target%/*}/${1##*/}"
}

beside() { # COMMAND: what is installed under the name shirube where a command stands; nothing of it is run
    place=$(readlink -f "$1") || return 0
    for info in "${place%/*/*}"/lib/python*/site-packages/shirube-[0-9]*.dist-info; do
        [ ! -e "$info" ] || echo "$info"
    done
}

is_earlier() { # COMMAND: whether it is a build of ours from before the distribution was called michishirube
    info=$(beside "$1")
    [ -n "$info" ] && grep -qs '^Summary: Code intelligence that a coding agent consults' "$info/METADATA"
}

whose() { # COMMAND
    info=$(beside "$1")
    if is_earlier "$1"; then
        echo " (an earlier build of this program)"
    elif [ -n "$info" ]; then
        echo " (another project's program, $(basename "$info" .dist-info))"
    fi
}

is_still_ours() { # HOW LINK: under the old name, uv and pipx put another project's program at the very same place
    is_ours "$2" && { [ "$1" = venv ] || [ -n "$(received name)" ] || is_earlier "$2"; }
}

remove_earlier() { # HOW LINK: uv and pipx would keep it beside the new one, and both want the same commands
    [ "$1" != venv ] && [ -z "$(received name)" ] && exists "$2" || return 0
    is_still_ours "$1" "$2" || fail "$2 is no longer what 'make install' put there$(whose "$2")" \
        "look at it; remove it and $receipt by hand, then run this again"
    say "the earlier build goes first; $1 knows it as shirube"
    take_away "$1" shirube
}

take_away() { # HOW DISTRIBUTION
    case $1 in
    uv) uv tool uninstall --quiet "$2" && say "removed $link" ;;
    pipx) pipx uninstall "$2" >/dev/null && say "removed $link" ;;
    *) for one in "$link" "${link%/*}/michishirube"; do
        if is_ours "$one"; then
            rm -f "$one" && say "removed $one"
        elif exists "$one"; then
            say "left alone: $one, which is no longer what 'make install' put there"
        fi
    done ;;
    esac
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
    for name in shirube michishirube; do
        ln -s "$env/bin/$name" "${1%/*}/$name.new-$$"
        mv -f "${1%/*}/$name.new-$$" "${1%/*}/$name"
    done
}

say_path() { # BIN
    case ":$PATH:" in
    *":$1:"*)
        first=$(command -v shirube || :)
        [ "$first" = "$1/shirube" ] ||
            say "note: your PATH finds $first first$(whose "$first"); this one is $1/shirube, and also called michishirube"
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
    for one in "$link" "$bin/michishirube"; do
        if exists "$one" && ! is_ours "$one"; then
            fail "$one exists, and 'make install' did not put it there$(whose "$one")" \
                "move or remove it, then run 'make install' again"
        fi
    done
    remove_earlier "$how" "$link"
    rm -rf build/lib build/bdist.* # setuptools would pack modules of earlier builds again
    old=$(received env)
    case $how in
    uv) uv tool install --quiet --reinstall --constraints requirements.lock "$source" ;;
    pipx) pipx install --force --pip-args="--constraint $PWD/requirements.lock" "$source" >/dev/null ;;
    venv) install_venv "$link" ;;
    esac
    mkdir -p "$data"
    printf '%s\n' "how=$how" "name=michishirube" "link=$link" "target=$(readlink -f "$link")" "env=$env" >"$receipt"
    [ -z "$old" ] || rm -rf "$old"
    case $how in
    venv) say "installed shirube in its own environment, $env" ;;
    *) say "installed shirube with $how" ;;
    esac
    say "the command is $link (or michishirube); 'make uninstall' takes it away"
    say_path "$bin"
}

uninstall() {
    how=$(received how) link=$(received link) env=$(received env)
    if [ -z "$how" ]; then
        say "nothing to remove: 'make install' has installed nothing for this user"
        return
    fi
    need_tool "$how"
    name=$(received name)
    if [ "$how" != venv ] && exists "$link" && ! is_still_ours "$how" "$link"; then
        fail "$link is no longer what 'make install' put there$(whose "$link")" \
            "look at it; '$how uninstall' may still know the program; then remove $receipt"
    fi
    take_away "$how" "${name:-shirube}"
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
