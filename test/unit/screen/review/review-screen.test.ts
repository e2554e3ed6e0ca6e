import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { defaultPrivilegedRoles } from "../../../../src/model/role-set.ts";
import { plain } from "../../../../src/report/outcome.ts";
import { reviewOnScreen } from "../../../../src/screen/review/review-screen.ts";
import { aTerminal } from "../../../support/noted-terminal.ts";
import { samplePlan } from "../../../support/report-samples.ts";

/** A review that was asked for, and the frames that it has drawn. */
function reviewing() {
  const { terminal, input, noted } = aTerminal({ columns: 80, rows: 24 });
  const answer = reviewOnScreen(
    { plan: samplePlan, privileged: defaultPrivilegedRoles },
    { terminal, paint: plain, signal: new AbortController().signal },
  );
  const frames = () => noted.filter((text) => text.startsWith("\u{1B}[?2026h"));
  async function drawn(): Promise<void> {
    for (const before = frames().length; frames().length === before; ) await sleep(5);
  }
  return { input, answer, frames, drawn };
}

test("what was typed before the review was shown approves nothing", async () => {
  const { input, answer, frames, drawn } = reviewing();
  input.emit("data", "ayes\r");
  await drawn();
  expect(frames().at(-1)).toContain("a approve");
  input.emit("data", "q");
  expect(await answer).toBe("declined");
});

test("keys that come together are drawn once", async () => {
  const { input, answer, frames, drawn } = reviewing();
  await drawn();
  const before = frames().length;
  input.emit("data", "jjjkjj");
  await drawn();
  input.emit("data", "j");
  await drawn();
  expect(frames().length - before).toBe(2);
  input.emit("data", "ayes\r");
  expect(await answer).toBe("approved");
});
