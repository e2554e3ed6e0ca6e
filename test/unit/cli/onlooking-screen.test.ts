import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { onlookingScreen } from "../../../src/cli/onlooking-screen.ts";
import { insideHost } from "../../support/inside.ts";
import { aTerminal } from "../../support/noted-terminal.ts";
import { samplePlan } from "../../support/report-samples.ts";

const entersScreen = "\u{1B}[?1049h";

/** Whether a terminal was taken for what is read after the plan was made, a while after. */
async function isShown(asked: "asked" | "not-asked"): Promise<boolean> {
  const { terminal, noted } = aTerminal();
  const onlooker = onlookingScreen(insideHost({ cwd: "/" }), terminal);
  onlooker.planned(samplePlan);
  onlooker.read({ what: "users listed", done: 1 });
  if (asked === "asked") onlooker.asking();
  await sleep(900);
  await onlooker.end();
  return noted.some((text) => text.includes(entersScreen));
}

test("what is read after the plan was made, as by a rehearsal, is shown until somebody is asked", async () => {
  expect(await Promise.all([isShown("asked"), isShown("not-asked")])).toEqual([false, true]);
});
