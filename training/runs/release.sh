#!/usr/bin/env bash
# Make the model that ships, from the collected rows. Two minutes on one graphics card, an hour or two without.
#   training/runs/release.sh COLLECTED BENCH WORK
# COLLECTED: folder of *.jsonl.xz (training.collect); BENCH: the benchmark's folder with names, annotations and trees;
# WORK: where packed data and measurements go. Set TREES to further folders of trees to keep out of the data.
set -euo pipefail
collected=$1 bench=$2 work=$3
quality=benchmarks/quality
model=src/shirube/embed/data
python=${PYTHON:-python3}

mkdir -p "$work"
$python -m training.data "$collected" "$work/packed.jsonl.xz" --names "$bench/all-repositories.txt" \
  --trees "$bench/repos" ${TREES:-} --questions $quality/japanese.json $quality/terms.json
$python -m training.release "$work/packed.jsonl.xz" $model --seed 0 --workers "$(nproc)"
$python -m training.projects "$bench" "$work/projects.jsonl.xz" --japanese $quality/japanese.json
$python -m training.evaluate $model "$work/projects.jsonl.xz" --terms $quality/terms.json
