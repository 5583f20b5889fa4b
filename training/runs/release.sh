#!/usr/bin/env bash
# Make the model that ships, from the collected rows. Two minutes on one graphics card, an hour or two without.
#   training/runs/release.sh COLLECTED BENCH WORK
# COLLECTED: folder of *.jsonl.xz (training.collect, training.histories); BENCH: the benchmark's folder with names, annotations and trees;
# WORK: where packed data and measurements go. Set TREES to further folders of trees to keep out of the data, NAMES to
# further files of repository names, QUESTIONS to further files of questions.
# A small run, for a processor: LIMIT=20000 (rows of each collected file and of each kind), STEPS=50, BATCH=512. Its model
# goes to WORK/model and leaves the one that ships alone; MODEL names another folder, WORKERS the processes, PYTHON the
# interpreter.
set -euo pipefail
collected=$1 bench=$2 work=$3
quality=benchmarks/quality
python=${PYTHON:-python3}
workers=${WORKERS:-$(nproc)}
model=src/shirube/engine/embed/data
if [ -n "${LIMIT:-}${STEPS:-}${BATCH:-}" ]; then model=$work/model; fi
model=${MODEL:-$model}

mkdir -p "$work"
$python -m training.data "$collected" "$work/packed.jsonl.xz" --names "$bench/all-repositories.txt" ${NAMES:-} \
  --trees "$bench/repos" ${TREES:-} --questions $quality/japanese.json $quality/terms.json ${QUESTIONS:-} \
  ${LIMIT:+--limit "$LIMIT"}
$python -m training.release "$work/packed.jsonl.xz" "$model" --seed 0 --workers "$workers" \
  ${LIMIT:+--limit "$LIMIT"} ${STEPS:+--steps "$STEPS"} ${BATCH:+--batch "$BATCH"}
$python -m training.projects "$bench" "$work/projects.jsonl.xz" --japanese $quality/japanese.json
$python -m training.evaluate "$model" "$work/projects.jsonl.xz" --terms $quality/terms.json \
  --workers "$workers"
