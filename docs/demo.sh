#!/usr/bin/env bash
# What `make demo` shows: this repository becomes an index, and the index answers.
set -euo pipefail
cd "$(dirname "$0")/.."

show() { # TITLE COMMAND ARGUMENT…
    local words=() word
    for word in "${@:2}"; do
        [[ $word == *' '* ]] && word="\"$word\""
        words+=("$word")
    done
    printf '\n── %s\n   $ %s\n\n' "$1" "${words[*]}"
    "${@:2}"
}

rm -rf "${SHIRUBE_CACHE_DIR:?is set by make demo}"
show "Index this repository" shirube index
show "Again: nothing has changed, so nothing is read" shirube index
show "What the index holds" shirube status
show "Find a symbol" shirube search open_embedder -k 2
show "Ask in English, and see what each score is made of" \
    shirube search "worker process crashed parser quarantined" -k 2 --path src --why
show "Ask in Japanese" shirube search "ロックの取得" -k 1 --path src
printf '\nThe index of this demonstration is in %s; remove the directory to be rid of it.\n' "$SHIRUBE_CACHE_DIR"
