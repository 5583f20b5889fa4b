// vitest setup: runs before every test file.
import { beforeEach } from "vitest";

beforeEach(() => {
  globalThis.pages = new Map();
});
