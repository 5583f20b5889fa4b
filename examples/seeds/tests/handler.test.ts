import { describe, expect, it } from "vitest";
import { handler } from "../lambda/page-agent/src/handler";

describe("page-agent", () => {
  it("renders a page", async () => {
    expect(await handler({ path: "/guide" })).toEqual({ status: 200, body: "guide" });
  });

  it("does not know every page", async () => {
    expect(await handler({ path: "/nowhere" })).toEqual({ status: 404, body: "" });
  });
});
