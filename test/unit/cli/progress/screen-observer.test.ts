import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { screenObserver } from "../../../../src/cli/progress/screen-observer.ts";
import { insideHost } from "../../../support/inside.ts";
import { aTerminal } from "../../../support/noted-terminal.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const entersScreen = "\u{1B}[?1049h";

/** What looks on while something is read after the plan was made, and whether it has taken the terminal. */
function reading() {
  const { terminal, noted } = aTerminal();
  const onlooker = screenObserver(insideHost({ cwd: "/" }), terminal);
  onlooker.planned(samplePlan);
  onlooker.read({ what: "users listed", done: 1 });
  return { onlooker, isShown: () => noted.some((text) => text.includes(entersScreen)) };
}

test("what is read after the plan was made, as by a rehearsal, is shown until somebody is asked", async () => {
  const shown = reading();
  await vi.waitUntil(shown.isShown, { timeout: 10_000 });
  await shown.onlooker.end();
  // What screens are made of is loaded by now, so that nothing but the question can keep this one back.
  const asked = reading();
  asked.onlooker.asking();
  await sleep(900);
  await asked.onlooker.end();
  expect(asked.isShown()).toBe(false);
}, 15_000);
