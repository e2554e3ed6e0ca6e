import { defineConfig } from "vitest/config";

export default defineConfig({
  // One story of some minutes, in processes of its own. It starts its own database, or says that it is skipped.
  test: { include: ["test/fleet/**/*.test.ts"], testTimeout: 1_800_000, hookTimeout: 120_000 },
});
