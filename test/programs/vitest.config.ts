import { defineConfig } from "vitest/config";

export default defineConfig({
  // What needs a shell, git, npm, a compiler or a terminal. Each says so where its program is not.
  test: {
    include: ["test/programs/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxConcurrency: 20,
    maxWorkers: 2,
    experimental: { fsModuleCache: true, fsModuleCachePath: "node_modules/.cache/vitest" },
  },
});
