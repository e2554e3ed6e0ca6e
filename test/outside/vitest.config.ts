import { defineConfig } from "vitest/config";

export default defineConfig({
  // What is written for other programs, read by those that are installed here. Each says so where its program is not.
  test: { include: ["test/outside/**/*.test.ts"], testTimeout: 120_000, maxWorkers: 2 },
});
