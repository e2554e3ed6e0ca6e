import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Seed } from "../../src/reference-server/seed.ts";
import { inside } from "../support/inside.ts";
import { insideScene } from "../support/inside-scene.ts";

/** A team that was there before roster; its keys are no key that roster makes. */
const seed: Seed = {
  accounts: [{ identifier: "acc-1" }],
  users: ["ada", "bo", "cy"].map((name) => ({ email: `${name}@acme.example`, firstName: name, lastName: "Diaz" })),
  teams: [
    {
      identifier: "t-1",
      name: "Red",
      admin: "ada@acme.example",
      members: ["ada", "bo", "cy"].map((name) => ({ user: `${name}@acme.example`, roles: ["DEVELOPER", "TEAM_ROLE"] })),
    },
  ],
};

interface DriftDocument {
  readonly exit_code: number;
  readonly drift: {
    readonly items: readonly {
      readonly class: string;
      readonly code: string;
      readonly outside?: readonly { readonly is: string; readonly gained: readonly string[] }[];
    }[];
    readonly changes: number;
    readonly blocking: number;
    readonly privileged_gains: number;
    readonly recorded: boolean;
    readonly not_recorded_because?: string;
  };
}

async function scene() {
  const { server, cwd, env, run: runAll } = await insideScene({ seed });
  const run = (...args: readonly string[]) => runAll(args);
  const drift = async (...flags: readonly string[]) => {
    const { stdout } = await run("drift", "--format", "json", ...flags, "people");
    return JSON.parse(stdout) as DriftDocument;
  };
  const keyOf = (name: string) => {
    const user = server.world.users.find(({ email }) => email === `${name}@acme.example`);
    return user?.accessKeys.find(({ team }) => team?.name === "Red")?.prefix ?? "";
  };
  const escalate = (name: string) => server.world.setKeyRoles(keyOf(name), ["DEVELOPER", "SYSTEM_OWNER", "TEAM_ROLE"]);
  return { server, cwd, env, run, drift, keyOf, escalate };
}

async function imported() {
  const all = await scene();
  expect((await all.run("import", "people")).code).toBe(0);
  return all;
}

function gains({ exit_code, drift }: DriftDocument) {
  const [first] = drift.items;
  const { privileged_gains, blocking } = drift;
  const gained = first?.outside?.map(({ is, gained: roles }) => [is, roles]);
  return { exit: exit_code, privileged_gains, blocking, class: first?.class, gained };
}

const gain = { exit: 2, privileged_gains: 1, blocking: 1, class: "tampered" };

describe("a privileged role on a key that roster never wrote", () => {
  test.each([
    ["import", [["import", "people"]]],
    [
      "import and a clean apply",
      [
        ["import", "people"],
        ["apply", "--auto-approve", "people"],
      ],
    ],
    [
      "import, a clean apply and a clean drift",
      [
        ["import", "people"],
        ["apply", "--auto-approve", "people"],
        ["drift", "people"],
      ],
    ],
    [
      "import and state rebuild",
      [
        ["import", "people"],
        ["state", "rebuild", "--state", "file:rebuilt.json", "people"],
      ],
    ],
  ] as const)("is a change outside roster after %s, and stays one", async (_, commands) => {
    const { run, drift, escalate } = await scene();
    for (const command of commands) expect((await run(...command)).code).toBe(0);
    const state = commands.some(([name]) => name === "state") ? ["--state", "file:rebuilt.json"] : [];
    escalate("bo");
    const told = { ...gain, gained: [["roles-changed", ["SYSTEM_OWNER"]]] };
    expect(gains(await drift(...state))).toEqual(told);
    expect(gains(await drift(...state))).toEqual(told);
    // A nightly job must not pass the second night.
    expect(gains(await drift("--only-new", ...state))).toEqual(told);
  });

  test("is a privileged gain where the key is seen for the first time, and never becomes the normal state", async () => {
    const { run, drift, escalate, cwd } = await imported();
    rmSync(join(cwd, ".roster"), { recursive: true, force: true });
    escalate("bo");
    const told = { ...gain, gained: [["privileged-roles-found", ["SYSTEM_OWNER"]]] };
    expect(gains(await drift())).toEqual(told);
    expect((await run("state", "rebuild", "--state", "file:rebuilt.json", "people")).code).toBe(0);
    expect(gains(await drift("--state", "file:rebuilt.json"))).toEqual(told);
    expect(gains(await drift())).toEqual(told);
  });

  test("fails every shipped job: it is an error in annotations, GitLab, SARIF, Prometheus and the webhook", async () => {
    const { run, cwd, escalate, env } = await imported();
    const sent: string[] = [];
    const receiver = createServer((request, response) => {
      let body = "";
      request.on("data", (part) => {
        body += String(part);
      });
      request.on("end", () => {
        sent.push(body);
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      receiver.close();
    });
    const address = receiver.address();
    const port = typeof address === "object" ? address?.port : 0;
    escalate("bo");
    const outputs = join(cwd, "outputs");
    const reports = ["gitlab", "sarif", "prometheus", "markdown"].flatMap((name) => [
      "--report",
      `${name}=${name}.out`,
    ]);
    const ran = await inside(["drift", "--format", "github", ...reports, "people"], {
      cwd,
      env: { ...env, GITHUB_OUTPUT: outputs, ROSTER_WEBHOOK: `http://127.0.0.1:${port}/` },
    });
    expect(ran.code).toBe(2);
    const read = (file: string) => readFileSync(join(cwd, file), "utf8");
    expect(ran.stdout).toMatch(/^::error [^\n]*bo@acme\.example[^\n]*SYSTEM_OWNER/mu);
    const outputOf = (name: string) => new RegExp(`^${name}<<.*\\n(.*)\\n`, "mu").exec(read("outputs"))?.[1];
    expect(["privileged_gains", "blocking", "exit_code"].map(outputOf)).toEqual(["1", "1", "2"]);
    const [entry] = JSON.parse(read("gitlab.out"));
    expect([entry?.severity, entry?.check_name, entry?.description.includes("SYSTEM_OWNER")]).toEqual([
      "critical",
      "tampered",
      true,
    ]);
    const [result] = JSON.parse(read("sarif.out")).runs[0].results;
    expect([result?.level, result?.ruleId]).toEqual(["error", "tampered"]);
    // What the jobs for GitLab and systemd look for.
    expect(read("prometheus.out")).toMatch(/^roster_drift_privileged_gains[{].*[}] [1-9]/mu);
    const first = read("markdown.out").indexOf("SYSTEM_OWNER");
    expect([first > 0, read("markdown.out").includes("Privileged roles not in the roster")]).toEqual([true, true]);
    const [delivery] = sent.map((body) => JSON.parse(body));
    expect([delivery?.severity, delivery?.privileged_gains, delivery?.items[0]?.privileged]).toEqual([
      "critical",
      1,
      true,
    ]);
    const text = await run("drift", "people");
    expect(text.stdout).toMatch(/\n\n(Privileged roles not in the roster) \(1\)\n/u);
    expect(text.stdout.split("\n").find((line) => line.startsWith("  !"))).toContain("SYSTEM_OWNER");
  });
});

describe("what roster only saw", () => {
  test("a member who was removed outside is a change outside roster, and nobody is invited again", async () => {
    const { server, drift, run } = await imported();
    server.world.removeMember("t-1", "cy@acme.example");
    const { drift: found } = await drift();
    expect(found.items.map(({ class: of, code, outside = [] }) => [of, code, outside.map(({ is }) => is)])).toEqual([
      ["tampered", "member-removed", ["member-removed"]],
    ]);
    const mails = server.outbox.length;
    await run("apply", "--auto-approve", "people");
    expect(server.outbox.length).toBe(mails);
  });

  test("a role that was removed outside is a change outside roster, and what the roster asks for anew is not", async () => {
    const { server, drift, keyOf } = await imported();
    server.world.setKeyRoles(keyOf("bo"), ["TEAM_ROLE"]);
    const { drift: found } = await drift();
    expect(found.items.map(({ class: of, code }) => [of, code])).toEqual([["tampered", "replace-roles"]]);
  });
});

describe("what a clean read makes known", () => {
  test("is recorded once, by import and by drift", async () => {
    const { drift, run, cwd } = await imported();
    const log = () => readFileSync(join(cwd, ".roster/log.jsonl"), "utf8");
    const state = async () => JSON.parse((await run("state", "show", "--format", "json")).stdout);
    const known = await state();
    expect(JSON.stringify(known).match(/"how":"seen"/gu)?.length).toBe(3);
    expect((await drift()).drift.recorded).toBe(true);
    expect((await state()).seenKeys).toEqual(known.seenKeys);
    const before = log();
    expect((await drift()).drift.recorded).toBe(true);
    expect(log()).toBe(before);
    expect((await run("drift", "--no-record", "people")).code).toBe(0);
  });
});
