import { defineConfig } from "vitest/config";

export default defineConfig({
  // End-to-end tests wait out the real settling time; nothing else comes near it.
  test: { include: ["test/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000, maxConcurrency: 20 },
});
