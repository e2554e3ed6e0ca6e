import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Each of these takes seconds, most of them in waiting: at the end, the other workers would wait for them. */
const longest =
  /\/(?:apply-faults|baselines|clock-steps|contract|drift|fleet-run|hostile-answers|hostile-pull-request|interrupts|kill|killed-process|killed-service|life|plan-file|random-services|second-transcripts|sessions|simulate|size|store|strange-inputs|transcripts|traps)\.test\.ts$/u;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** From Node 22 on, V8 waits longer by itself, and does not know the flag. */
const optimizeLate = process.version.startsWith("v20.") ? ["--interrupt-budget=2000000"] : [];

export default defineConfig({
  // One worker more than cores: end-to-end tests mostly wait for processes of their own.
  // A test has minutes for what takes seconds: other work may keep the machine busy.
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: [
      "test/stores/**",
      "test/outside/**",
      "test/browser/**",
      "test/chaos/**",
      "test/fleet/**",
      "test/programs/**",
    ],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxConcurrency: 20,
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // No module keeps anything between tests, so that a worker loads each of them once.
    isolate: false,
    // Fewer collections of short-lived objects, and from Node 20 no optimizing of what runs a few times: a tenth of the processor time each.
    execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64", ...optimizeLate],
    // What a module was made into is kept in node_modules/.cache for the next run, by what stands in it.
    experimental: { fsModuleCache: true, fsModuleCachePath: "node_modules/.cache/vitest" },
    setupFiles: ["test/support/before-each-file.ts"],
  },
});
