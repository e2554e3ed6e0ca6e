import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeState } from "../../../../src/codec/state-format.ts";
import type { State } from "../../../../src/model/state.ts";
import { type InsideScene, insideScene } from "../../../support/inside-scene.ts";

const saving = ["plan", "--out", "p.json"];
const applying = ["apply", "p.json", "--format", "json"];

interface Document {
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly diagnostics: readonly { readonly code: string }[];
  readonly actions?: readonly { readonly id: string }[];
  readonly plan_file?: { readonly file: string };
  readonly run?: {
    readonly outcomes: readonly { readonly action: string; readonly outcome: string; readonly why?: string }[];
  };
}

interface Ended {
  readonly code: number;
  readonly error: string | undefined;
  /** Codes of the diagnostics. */
  readonly told: readonly string[];
  /** Each action that was not simply done, with what became of it. */
  readonly troubles: readonly string[];
  readonly document: Document;
}

/** What an apply came to, as its document says. */
function endOf({ code, stdout }: { readonly code: number; readonly stdout: string }): Ended {
  const document = JSON.parse(stdout) as Document;
  const outcomes = document.run?.outcomes ?? [];
  return {
    code,
    error: document.error?.message,
    told: document.diagnostics.map((one) => one.code),
    troubles: outcomes
      .filter(({ outcome }) => outcome !== "succeeded" && outcome !== "unneeded")
      .map(({ action, outcome, why }) => `${outcome} ${action}${why === undefined ? "" : `: ${why}`}`),
    document,
  };
}

async function applied(at: InsideScene, ...more: readonly string[]): Promise<Ended> {
  return endOf(await at.run([...applying, ...more]));
}

/** A scene with a plan of its roster saved. */
async function planned(...flags: readonly string[]): Promise<InsideScene> {
  const at = await insideScene();
  expect((await at.run([...saving, ...flags])).code).toBe(0);
  return at;
}

async function stateOf(at: InsideScene): Promise<State> {
  const state = decodeState(await readFile(join(at.cwd, ".roster/state.json"), "utf8"), "state.json");
  if (!state.ok) throw new Error(state.error.message);
  return state.value;
}

describe("a plan file", () => {
  test("does what the plan said, without a question, and once", async () => {
    const at = await planned();
    const first = await applied(at);
    expect({ ...first, document: undefined }).toEqual({
      code: 0,
      error: undefined,
      told: [],
      troubles: [],
      document: undefined,
    });
    expect(first.document.run?.outcomes.map(({ action }) => action).sort()).toEqual(
      first.document.actions?.map(({ id }) => id).sort(),
    );
    const writes = at.writes();
    expect(writes.length).toBe(5);
    const state = await stateOf(at);
    expect([...(state.planFiles?.keys() ?? [])]).toEqual([first.document.plan_file?.file]);
    const again = await applied(at);
    expect([again.code, again.error]).toEqual([6, expect.stringMatching(/^this plan file was applied before/u)]);
    expect(at.writes()).toEqual(writes);
    expect((await at.run(["plan", "--detailed-exitcode"])).code).toBe(0);
  });
});
