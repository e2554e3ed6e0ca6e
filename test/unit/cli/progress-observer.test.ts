import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { progressObserverFor, screenObserver, screenTerminal } from "../../../src/cli/progress-observer.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { insideHost } from "../../support/inside.ts";
import { aTerminal } from "../../support/noted-terminal.ts";
import { samplePlan } from "../../support/report-samples.ts";
import { halfway, noon, plan } from "../../support/run-halfway.ts";

test.each<[string, Partial<Parameters<typeof screenTerminal>[1]>, Readonly<Record<string, string>>, boolean]>([
  ["a screen is shown for people at a terminal", {}, {}, true],
  ["not among the lines of a trace", { debug: true }, {}, false],
  ["not where a program reads the result", { format: "json" }, {}, false],
  ["not in a pipeline", {}, { CI: "true" }, false],
  ["an empty CI is no pipeline", {}, { CI: "" }, true],
])("%s", (_, flags, env, isShown) => {
  const { terminal } = aTerminal();
  const host = insideHost({ cwd: "/", env });
  const wanted = { format: "text", ...flags } as const;
  expect(screenTerminal({ ...host, terminal }, wanted)).toBe(isShown ? terminal : undefined);
  expect(screenTerminal(host, wanted)).toBeUndefined();
});

test("lines of events that come together are one write", async () => {
  const written: string[] = [];
  const stderr = { ...insideHost({ cwd: "/" }).stderr, write: (text: string) => written.push(text) };
  const observer = await progressObserverFor({ ...insideHost({ cwd: "/" }), stderr }, "apply", { format: "text" });
  observer.planned(plan);
  for (const event of halfway) observer.event(event);
  await sleep(0);
  expect(written.map((text) => text.split("\n").length > 23)).toEqual([true]);
});

const entersScreen = "\u{1B}[?7l";

/** What is left of a run that ended before a screen was worth it, or that was interrupted. */
function left(events: readonly RunEvent[]): string {
  const host = insideHost({ cwd: "/" });
  const observer = screenObserver(host, aTerminal().terminal);
  observer.planned(plan);
  for (const event of events) observer.event(event);
  observer.event({ type: "run-finished", at: new Date(noon).toISOString(), ended: "completed" });
  return host.told.stderr;
}

test("a run leaves one line for each action that has ended, and a summary", () => {
  const text = left(halfway);
  expect(text.split("\n").filter((line) => line.startsWith("not needed: create user"))).toHaveLength(23);
  expect(text).toContain("failed to create user p2n3@acme.example: the service refuses this address (status 422)\n");
  expect(text).not.toContain("skipped: ");
  expect(text).not.toMatch(/^waiting/mu);
  expect(text).toContain("\n23 of 105 actions in ");
});

test("reads that were interrupted say that nothing was sent, those that were not say nothing", async () => {
  const stderr = async (interrupt: boolean) => {
    const host = insideHost({ cwd: "/" });
    const observer = screenObserver(host, aTerminal().terminal);
    observer.read({ what: "users listed", done: 1 });
    if (interrupt) host.interrupt("SIGINT");
    await observer.end();
    return host.told.stderr;
  };
  expect([await stderr(true), await stderr(false)]).toEqual(["Stopped. Nothing was sent.\n", ""]);
});

/** What looks on while something is read after the plan was made, and whether it has taken the terminal. */
function reading() {
  const { terminal, noted } = aTerminal();
  const onlooker = screenObserver(insideHost({ cwd: "/" }), terminal);
  onlooker.planned(samplePlan);
  onlooker.read({ what: "users listed", done: 1 });
  return { onlooker, isShown: () => noted.some((text) => text.includes(entersScreen)) };
}

test("what is read after the plan was made is shown until somebody is asked", async () => {
  const shown = reading();
  await vi.waitUntil(shown.isShown, { timeout: 50_000 });
  await shown.onlooker.end();
  // What screens are made of is loaded by now, so that nothing but the question can keep this one back.
  const asked = reading();
  asked.onlooker.asking();
  await sleep(900);
  await asked.onlooker.end();
  expect(asked.isShown()).toBe(false);
});
