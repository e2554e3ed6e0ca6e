import { defineConfig } from "vitest/config";

export default defineConfig({
  // State stores against servers that somebody else wrote. A file starts its own server, or says that it is skipped.
  test: { include: ["test/stores/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 120_000, maxWorkers: 2 },
});
