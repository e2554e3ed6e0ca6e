import { describe, expect, test } from "vitest";
import { checkMove } from "../../../../src/cli/commands/state-move.ts";
import { emptyState, type State } from "../../../../src/model/state.ts";
import { creationIntent, noon, openIntent } from "../../../support/event-builders.ts";
import { type InsideScene, insideScene } from "../../../support/inside-scene.ts";

describe("state move", () => {
  const json = ["--format", "json"];
  const open = [openIntent("r1", "create-user:cy", creationIntent("cy"))];
  const state: State = { ...emptyState("ours"), serial: 7, sequence: 12, open };

  async function endOf(at: InsideScene, args: readonly string[]): Promise<readonly [number, string | undefined]> {
    const { code, stdout } = await at.run([...args, ...json]);
    const { error, diagnostics } = JSON.parse(stdout) as {
      error: { code: string } | null;
      diagnostics: readonly { message: string }[];
    };
    return [code, error?.code ?? diagnostics[0]?.message];
  }

  async function shown(at: InsideScene, place: string): Promise<Record<string, unknown>> {
    return JSON.parse((await at.run(["state", "show", "--state", place, ...json])).stdout) as Record<string, unknown>;
  }

  describe("roster state move", () => {
    test("takes everything along, open calls too, and leaves a note that refuses every run", async () => {
      const at = await insideScene();
      await at.remember(state);
      const before = await shown(at, "file:.roster/state.json");
      expect(await endOf(at, ["state", "move", "file:elsewhere.json"])).toEqual([0, undefined]);
      expect(await shown(at, "file:elsewhere.json")).toEqual({ ...before, serial: 8 });
      const left = await shown(at, "file:.roster/state.json");
      expect(left).toMatchObject({ lineage: "ours", moved: { to: `file:${at.cwd}/elsewhere.json` }, open: [] });
      for (const command of ["plan", "drift", "apply"]) {
        const run = await at.run([command]);
        expect({ code: run.code, told: run.stderr.includes(`was moved to file:${at.cwd}/elsewhere.json`) }).toEqual({
          code: 1,
          told: true,
        });
      }
      expect(at.server.requests).toEqual([]);
      expect(await endOf(at, ["state", "unlock"])).toEqual([0, undefined]);
    });

    test("goes back to where it came from", async () => {
      const at = await insideScene();
      await at.remember(state);
      await at.run(["state", "move", "file:elsewhere.json"]);
      const back = ["state", "move", "file:.roster/state.json", "--state", "file:elsewhere.json"];
      expect(await endOf(at, back)).toEqual([0, undefined]);
      expect(await shown(at, "file:.roster/state.json")).toMatchObject({ lineage: "ours", sequence: 12 });
      expect(await endOf(at, [...back.slice(0, 2), "file:third.json", ...back.slice(3)])).toEqual([
        3,
        expect.stringMatching(/^The state of .* was moved to .* at /u),
      ]);
    });

    test("is done again where it was broken off after the copy", async () => {
      const at = await insideScene();
      await at.remember(state);
      await at.run(["state", "move", "file:elsewhere.json"]);
      await at.remember(state);
      expect(await endOf(at, ["state", "move", "file:elsewhere.json"])).toEqual([0, undefined]);
      expect((await shown(at, "file:elsewhere.json"))["serial"]).toBe(8);
    });

    test("overwrites nothing else (5)", async () => {
      const at = await insideScene();
      await at.remember(state);
      await at.run(["state", "move", "file:theirs.json"]);
      await at.remember({ ...emptyState("another"), serial: 1, open });
      expect(await endOf(at, ["state", "move", "file:theirs.json"])).toEqual([5, "unwritable"]);
      expect((await shown(at, "file:theirs.json"))["lineage"]).toBe("ours");
      expect((await shown(at, "file:.roster/state.json"))["moved"]).toBeUndefined();
    });

    test.each<[string, readonly string[], RegExp]>([
      [
        "where there is nothing to move",
        ["state", "move", "file:b.json", "--state", "file:a.json"],
        /^There is no state at file:/u,
      ],
      ["to where it is", ["state", "move", "file:.roster/state.json"], /^The state is at file:.* already\.$/u],
      ["to a place of no kind", ["state", "move", "elsewhere"], /^The state address elsewhere has an unknown kind\.$/u],
    ])("is refused %s (3)", async (_, args, message) => {
      const at = await insideScene();
      await at.remember({ ...state, open: [openIntent("r1", "c", creationIntent("cy"), noon)] });
      expect(await endOf(at, args)).toEqual([3, expect.stringMatching(message)]);
    });

    test("obeys CI, where the state must be named", async () => {
      const at = await insideScene();
      await at.remember(state);
      const run = await at.run(["state", "move", "file:b.json"], { env: { CI: "true" } });
      expect([run.code, run.stderr.includes("error[missing-setting]")]).toEqual([3, true]);
    });
  });
});

describe("move verdict", () => {
  const open = [openIntent("r1", "c", creationIntent("ada"))];
  const state: State = { ...emptyState("ours"), serial: 7, sequence: 3, open };

  describe("moving a state", () => {
    test.each<[string, State, string]>([
      ["to a place that holds nothing", emptyState("new"), "copy"],
      ["to a place with an older version of it", { ...state, serial: 6, open: [] }, "copy"],
      [
        "back to where it was moved from",
        { ...emptyState("ours"), serial: 9, moved: { to: "here", at: noon } },
        "copy",
      ],
      ["again, after the copy was made and before the old place was marked", { ...state, serial: 8 }, "only-mark"],
      [
        "to a place with a newer version of it",
        { ...state, serial: 8, open: [] },
        "it holds a newer version of the same state (serial 8, and serial 7 was to be moved)",
      ],
      [
        "to a place with another state",
        { ...state, lineage: "theirs" },
        "it holds another state (lineage theirs, serial 7)",
      ],
      [
        "to a place that a run has begun and never saved",
        { ...emptyState("theirs"), open },
        "it holds another state (lineage theirs, serial 0)",
      ],
      [
        "to a place from which another state was moved",
        { ...emptyState("theirs"), serial: 2, moved: { to: "elsewhere", at: noon } },
        "it holds another state (lineage theirs, serial 2)",
      ],
    ])("%s", (_, there, verdict) => {
      const judged = checkMove(state, there);
      expect(judged.may === "no" ? judged.why : judged.may).toBe(verdict);
    });
  });
});
