// Counts the o200k tokens of texts: a JSON array of strings on stdin, a JSON array of numbers on stdout.
// Needs the npm package gpt-tokenizer where NODE_PATH or the working directory has it.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(`${process.cwd()}/`);
const { encode } = require("gpt-tokenizer/encoding/o200k_base");
const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => encode(text, { allowedSpecial: "all" }).length)));
