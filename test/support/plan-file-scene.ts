import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { systemClock, systemRandomness } from "../../src/library/system.ts";
import { fileStore } from "../../src/log/file/store.ts";
import type { State } from "../../src/model/state.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { type InsideScene, insideScene } from "./inside-scene.ts";
import { writeRoster } from "./roster-directory.ts";

interface Document {
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
  readonly actions?: readonly { readonly id: string }[];
  readonly plan_file?: { readonly file: string };
  readonly run?: {
    readonly outcomes: readonly { readonly action: string; readonly outcome: string; readonly why?: string }[];
  };
}

/** What an apply came to, as its document says. */
export interface Ended {
  readonly code: number;
  /** What ended it, or what is wrong with it. */
  readonly error: string | undefined;
  /** Each action that was not simply done, with what became of it. */
  readonly troubles: readonly string[];
  readonly document: Document;
}

/** A service, a roster, and the file `p.json` between `plan --out` and `apply`. */
export interface PlanFileScene extends InsideScene {
  save(...flags: readonly string[]): Promise<void>;
  applied(...flags: readonly string[]): Promise<Ended>;
  state(): Promise<State>;
  /** Puts another roster in the place of the one that there is. */
  rewrite(roster: string): Promise<void>;
  /** The text of the file, changed. */
  edit(change: (text: string) => string): Promise<void>;
}

export async function planFileScene(options: Parameters<typeof insideScene>[0] = {}): Promise<PlanFileScene> {
  const at = await insideScene(options);
  const file = join(at.cwd, "p.json");
  return {
    ...at,
    async save(...flags) {
      expect((await at.run(["plan", "--out", "p.json", ...flags])).code).toBe(0);
    },
    applied: async (...flags) => endOf(await at.run(["apply", "p.json", "--format", "json", ...flags])),
    async state() {
      const path = join(at.cwd, ".roster/log.jsonl");
      const state = await fileStore({ path, clock: systemClock, randomness: systemRandomness }).read();
      if (!state.ok) throw new Error(state.error.message);
      return state.value;
    },
    rewrite: (roster) => writeRoster(at.cwd, { "roster.yaml": roster }),
    edit: async (change) => writeFile(file, change(await readFile(file, "utf8"))),
  };
}

export function endOf({ code, stdout }: { readonly code: number; readonly stdout: string }): Ended {
  const document = JSON.parse(stdout) as Document;
  const outcomes = document.run?.outcomes ?? [];
  return {
    code,
    error: document.error?.message ?? document.diagnostics[0]?.message,
    troubles: outcomes
      .filter(({ outcome }) => outcome !== "succeeded" && outcome !== "unneeded")
      .map(({ action, outcome, why }) => `${outcome} ${action}${why === undefined ? "" : `: ${why}`}`),
    document,
  };
}

export function clockAhead(hours: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + hours * 3_600_000 };
}
