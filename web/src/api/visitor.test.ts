import { expect, test } from "vitest";
import { newCode } from "./visitor";

test("codes have the shape that the lab knows, and no two are alike", () => {
  const codes = Array.from({ length: 100 }, newCode);
  for (const code of codes) expect(code).toMatch(/^[a-z0-9]{5}(-[a-z0-9]{5}){3}$/);
  expect(new Set(codes).size).toBe(codes.length);
});
