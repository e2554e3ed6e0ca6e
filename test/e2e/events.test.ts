import { describe, expect, test } from "vitest";
import { eventLines } from "../support/event-lines.ts";
import { inside } from "../support/inside.ts";
import { insideScene } from "../support/inside-scene.ts";

describe("--format ndjson", () => {
  test("tells that a call is announced before the call is there", async () => {
    let told = () => "";
    const known: boolean[] = [];
    const scene = await insideScene({
      onRequest: (route) => {
        if (route === "create") known.push(told().includes('{"type":"intended"'));
      },
    });
    const host = scene.host();
    told = () => host.told.stdout;
    await inside(["apply", "--auto-approve", "--format", "ndjson"], { cwd: scene.cwd, env: scene.env }, host);
    expect(known.length).toBeGreaterThan(1);
    expect(known).not.toContain(false);
  });

  test("is interrupted with a summary", async () => {
    let interrupt = (): void => undefined;
    const scene = await insideScene({ onRequest: () => interrupt() });
    const host = scene.host();
    interrupt = () => host.interrupt("SIGINT");
    const run = await inside(["plan", "--format", "ndjson"], { cwd: scene.cwd, env: scene.env }, host);
    const lines = eventLines(run.stdout);
    expect([run.code, lines[0]?.type, lines.at(-1)]).toMatchObject([
      130,
      "version",
      { type: "summary", exit_code: 130 },
    ]);
  });
});
