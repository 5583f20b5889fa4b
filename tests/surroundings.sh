#!/usr/bin/env bash
# Run the tests in surroundings that are not like the developer's. `tests/surroundings.sh` runs all of them,
# `tests/surroundings.sh locale twice` only these. TESTS narrows the tests, WORKERS says how many at once.
# What a machine cannot offer (another user, a locale) is skipped, and said.
set -uo pipefail
cd "$(dirname "$0")/.."
python=$PWD/.venv/bin/python
export PATH="$PWD/.venv/bin:$PATH"
base=$(mktemp -d)
chmod 755 "$base"
trap 'rm -rf "$base"' EXIT
read -ra tests <<<"${TESTS:-tests}"
pytest=("$python" -m pytest -n "${WORKERS:-2}" --dist worksteal -m "not slow" -q -p no:cacheprovider "${tests[@]}")

skip() { echo "skipped: $1"; return 77; }

# A copy of the tree as it is now, without .git, as an archive would hold it.
copy() {
  mkdir -p "$base/$1"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$base/$1"
  cd "$base/$1" && export PYTHONPATH="$base/$1/src"
}

# All programs of PATH but one.
without() {
  mkdir -p "$base/bin-$1"
  IFS=: read -ra folders <<<"$PATH"
  for folder in "${folders[@]}"; do ln -s "$folder"/* "$base/bin-$1/" 2>/dev/null; done
  rm -f "$base/bin-$1/$1"
  PATH="$base/bin-$1" "${pytest[@]}"
}

run_marked() {  # the temporary directory stands in somebody's project, which must stay as it is
  mkdir -p "$base/around/tmp" "$base/around/.git" "$base/around/.shirube"
  TMPDIR="$base/around/tmp" "${pytest[@]}" || return
  [ "$(cd "$base/around" && find . -path ./tmp -prune -o -print | sort | xargs)" = ". ./.git ./.shirube" ]
}

run_locale() {
  locale -a | grep -qi '^ja_JP.utf-\?8$' || skip "the locale ja_JP.UTF-8 is not installed" || return
  LANG=ja_JP.UTF-8 LC_ALL=ja_JP.UTF-8 "${pytest[@]}"
}

run_nolocale() { LANG=xx_XX.UTF-8 LC_ALL=xx_XX.UTF-8 "${pytest[@]}"; }

run_user() {  # nobody may read what root may read; the interpreter may lie where only root may look
  [ "$(id -u)" = 0 ] || skip "only root can become somebody else" || return
  local nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all --bounding-set=-all)
  local theirs=${ANYBODYS_PYTHON:-/usr/bin/python3} packages bin=$base/user/.venv/bin
  packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  PYTHONPATH=$packages "${nobody[@]}" "$theirs" -c 'import pytest, numpy' ||
    skip "nobody can run $theirs with the packages of .venv (ANYBODYS_PYTHON names another)" || return
  (
    copy user
    "$theirs" -m venv --without-pip .venv
    printf '%s\n' "$PYTHONPATH" "$packages" >"$("$bin/python" -c 'import site; print(site.getsitepackages()[0])')/all.pth"
    printf '#!%s\nfrom shirube.__main__ import main\nraise SystemExit(main())\n' "$bin/python" >"$bin/shirube"
    chmod +x "$bin/shirube"
    mkdir "$base/nobody"
    chown -R nobody "$base/user" "$base/nobody"
    unset PYTHONPATH
    HOME=$base/nobody TMPDIR=$base/nobody "${nobody[@]}" "$bin/python" "${pytest[@]:1}"
  )
}

run_noripgrep() { without rg; }

run_nogit() { without git; }

run_home() {  # a home directory without a byte left
  mkdir "$base/home"
  # shellcheck disable=SC2016
  unshare --mount --map-root-user sh -c 'mount -t tmpfs -o size=64k none "$0" && cat /dev/zero >"$0/full" 2>/dev/null
    HOME="$0" exec "$@"' "$base/home" "${pytest[@]}"
}

run_twice() {
  (copy first && "${pytest[@]}" >"$base/first.log" 2>&1) &
  local other=$!
  (copy second && "${pytest[@]}")
  local here=$?
  wait "$other" || { cat "$base/first.log"; return 1; }
  return $here
}

failed=()
for name in ${*:-marked locale nolocale user noripgrep nogit home twice}; do
  echo "== $name"
  "run_$name"
  case $? in 0 | 77) ;; *) failed+=("$name") ;; esac
done
echo "== failed: ${failed[*]:-none}"
[ ${#failed[@]} = 0 ]
