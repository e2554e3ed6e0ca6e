import { describe, expect, test } from "vitest";
import { roster } from "../../support/command.ts";
import { clientOf, crowd, crowdHead, crowdLines, pagesAsked } from "../../support/crowd.ts";
import { faultProxy } from "../../support/fault-proxy.ts";
import { isDeep } from "../../support/property-runs.ts";
import { company, companyThere, creationsOf, scene, sceneWith, standing, writesOf } from "../../support/trap-scene.ts";

describe.concurrent("traps of interruptions and size", () => {
  test.for([
    ["create@1", "roles@1", "list@1"],
    ["members@1", "keys@1"],
  ] as const)(
    "55: the connection ends under calls (%s), of which writes are resolved by reading",
    async (reset, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { reset } });
      await at.apply();
      const codes = [(await at.apply()).code, (await at.plan()).code];
      expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0], ...companyThere });
    },
  );

  test("56: the key is refused in the middle of a run, and the next run goes on from there", async ({
    onTestFinished,
  }) => {
    const at = await scene(onTestFinished, {
      knobs: { flaky: ["writes@from-3"], flakyStatus: "401" },
      time: "virtual",
    });
    // One write at a time: another one would be under way when the first is refused, and stay open.
    const first = await at.apply("--parallelism", "1");
    const tried = writesOf(at.server).length;
    at.server.setKnobs({ flaky: [] });
    const codes = [first.code, (await at.apply()).code, (await at.plan()).code];
    expect({ codes, tried: tried <= 4, ...standing(at.server) }).toEqual({
      codes: [4, 0, 0],
      tried: true,
      ...companyThere,
    });
  });

  test("56: a run that is killed after a creation leaves what the next one resolves by reading", async ({
    onTestFinished,
  }) => {
    const at = await scene(onTestFinished, {});
    let kill = (): void => undefined;
    let isStruck = false;
    const proxy = await faultProxy(
      at.server.endpoint,
      {
        kill: () => kill(),
        fault({ isWrite }) {
          if (!isWrite || isStruck) return undefined;
          isStruck = true;
          return { is: "kill", when: "after-commit" };
        },
      },
      onTestFinished,
    );
    const through = await sceneWith(onTestFinished, at.server, company, proxy.endpoint);
    const started = (child: { kill(signal: NodeJS.Signals): boolean }): void => {
      kill = () => void child.kill("SIGKILL");
    };
    const first = await roster(["apply", "--auto-approve"], { cwd: through.directory, env: through.env, started });
    proxy.revive({});
    const codes = [(await through.apply()).code, (await through.plan()).code];
    expect({ signal: first.signal, codes, creations: creationsOf(at.server), ...standing(at.server) }).toEqual({
      signal: "SIGKILL",
      codes: [0, 0],
      creations: 2,
      ...companyThere,
    });
  });

  test("57: two operators apply at once, each with a state of their own", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { latencyMs: 50 } });
    const other = await sceneWith(onTestFinished, at.server);
    await Promise.all([at.apply(), other.apply()]);
    const codes = [
      (await at.apply()).code,
      (await other.apply()).code,
      (await at.plan()).code,
      (await other.plan()).code,
    ];
    expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0, 0, 0], ...companyThere });
  });

  test.for(["required", "not-required"] as const)(
    "58: every request carries the key, whether lists ask for it or not (%s)",
    async (authOnAccounts, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { authOnAccounts } });
      const { code } = await at.apply();
      expect({ code, without: at.server.requests.filter(({ sentKey }) => !sentKey) }).toEqual({ code: 0, without: [] });
    },
  );

  test.for([
    { identifiers: "numbers", oddities: "extra-fields" },
    { userWords: "short", oddities: "nulls" },
    { userWords: "long", oddities: "missing-keys" },
    { showKeyRoles: "null", times: "mixed" },
  ] as const)("59: odd but readable answers (%o) are read", async (knobs, { onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs });
    const codes = [(await at.apply()).code, (await at.plan()).code];
    expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0], ...companyThere });
    const list = await clientOf(at.server, onTestFinished).listUsers();
    expect({ ok: list.ok, polluted: "polluted" in {} }).toEqual({ ok: true, polluted: false });
  });

  test("60: thousands of users on pages of twenty are read once each and in little memory", async ({
    onTestFinished,
  }) => {
    const users = isDeep ? 10_000 : 4000;
    const at = await scene(onTestFinished, {
      knobs: { maxPerPage: 20 },
      seed: crowd(users),
      roster: crowdHead + crowdLines(1, 3),
    });
    const run = await at.runBuilt(["drift", "--format", "json"], {
      NODE_OPTIONS: `--max-old-space-size=${isDeep ? 96 : 48}`,
    });
    const { findings } = JSON.parse(run.stdout) as { findings: { code: string }[] };
    expect({
      code: run.code,
      unmanaged: findings.filter(({ code }) => code === "unmanaged").length,
      pages: pagesAsked(at.server).length,
    }).toEqual({ code: 0, unmanaged: users - 4, pages: users / 20 + 3 });
  });
});
