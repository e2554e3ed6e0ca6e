import { defineConfig } from "vitest/config";

export default defineConfig({
  // The HTML report in a real browser; says that it is skipped where there is none.
  test: { include: ["test/browser/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000, maxWorkers: 1 },
});
