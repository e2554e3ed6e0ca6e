import { defineConfig } from "vitest/config";

export default defineConfig({
  // Every place of a fault, and many random ones: minutes, where `npm test` has a choice of them in seconds.
  test: {
    include: ["test/chaos/**/*.test.ts"],
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    maxConcurrency: 8,
    maxWorkers: 2,
  },
});
