import { defineConfig } from "vitest/config";

export default defineConfig({
  // One worker more than cores: end-to-end tests mostly wait for processes of their own.
  // A test has minutes for what takes seconds: other work may keep the machine busy.
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: ["test/stores/**", "test/outside/**", "test/browser/**", "test/chaos/**", "test/fleet/**"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxConcurrency: 20,
    maxWorkers: 3,
    // No module keeps anything between tests, so that a worker loads each of them once.
    isolate: false,
    // Fewer collections of short-lived objects: a tenth of the processor time.
    execArgv: ["--max-semi-space-size=64"],
    setupFiles: ["test/support/property-seed.ts", "test/support/closed-terminal.ts"],
  },
});
