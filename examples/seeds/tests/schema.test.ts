import { describe, expect, it } from "vitest";
import { tryCreateFTSIndex } from "../src/index/schema";

describe("tryCreateFTSIndex", () => {
  it("says whether the extension is there", async () => {
    expect(await tryCreateFTSIndex({ run: async () => {} })).toBe(true);
  });
});
