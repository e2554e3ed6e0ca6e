import { readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../src/codec/document.ts";
import { sha256 } from "../../src/model/sha256.ts";
import { emptyState } from "../../src/model/state.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import { prompt } from "../support/command.ts";
import { creationIntent, openIntent } from "../support/event-builders.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { gitRepository } from "../support/git-repository.ts";
import { type InsideResult, inside, insideHost } from "../support/inside.ts";
import { type InsideScene, type InsideSceneOptions, insideScene, twoPeople } from "../support/inside-scene.ts";
import { isPreview } from "../support/plan-words.ts";
import { addressOf, emailOf } from "../support/roster-builders.ts";
import { writeRoster } from "../support/roster-directory.ts";

type Texts = Readonly<Record<string, string>>;

const readAt = "2026-11-20T12:00:00.000Z";

/** As `snapshot` runs: with the key, at noon. */
function takeSnapshot(at: InsideScene): Promise<InsideResult> {
  return at.run(["snapshot", "--out", "kept/snapshot.json"], { clock: clockAt(readAt) });
}

/** As a plan of a fork runs: in a pipeline, with no key, no endpoint and no state. */
function preview(at: InsideScene, args: readonly string[] = [], env: Texts = {}, time = readAt): Promise<InsideResult> {
  const all = ["plan", "--from", "kept/snapshot.json", ...args];
  return inside(all, { cwd: at.cwd, env: { CI: "true", ...prompt, ...env }, clock: clockAt(time) });
}

async function scene(files: Texts = {}, options: InsideSceneOptions = {}): Promise<InsideScene> {
  const at = await insideScene(options);
  await writeRoster(at.cwd, { "kept/.keep": "", ...files });
  return at;
}

const threePeople = twoPeople
  .replace("teams:", "  - { email: cy@acme.example, firstName: Cy, lastName: Young }\nteams:")
  .replace("{ user: bo@acme.example }", "{ user: bo@acme.example }, { user: cy@acme.example }");

interface PlanTold {
  readonly plan_id: string;
  readonly actions: readonly { readonly id: string }[];
  readonly findings: readonly { readonly code: string; readonly subject: string; readonly message: string }[];
  readonly from_snapshot?: unknown;
}

function told({ stdout }: InsideResult): PlanTold {
  return JSON.parse(stdout) as PlanTold;
}

/** What it would do and tell, apart from the names of reads and from what only a plan of a snapshot says. */
function deeds({ actions, findings, plan_id }: PlanTold): unknown {
  const others = findings.filter(({ message }) => !isPreview(message));
  const isOfReads = (name: string) => name === "by" || name === "rests_on";
  const all = { plan_id, actions, findings: others };
  return JSON.parse(JSON.stringify(all, (name, value: unknown) => (isOfReads(name) ? undefined : value)));
}

/** What a command that was refused says, in one line and without what to do about it, and its exit code. */
function refusal({ code, stderr }: InsideResult) {
  const [, says = ""] =
    /error\[[a-z-]+\]: (.*?)(?: hint: .*| 1 error\..*)?$/u.exec(stderr.replace(/\s+/gu, " ").trim()) ?? [];
  return { code, says };
}

describe("a plan of a snapshot", () => {
  test("is the plan of the service that was read, without a key, a state or a call", async () => {
    const at = await scene();
    const read = await at.run(["plan", "--format", "json"]);
    expect((await takeSnapshot(at)).code).toBe(0);
    const asked = at.server.requests.length;
    const foreseen = await preview(at, ["--format", "json"]);
    expect([foreseen.code, at.server.requests.length]).toEqual([0, asked]);
    expect(deeds(told(foreseen))).toEqual(deeds(told(read)));
    expect(told(foreseen).from_snapshot).toEqual({ made_at: readAt });
    expect((await stat(join(at.cwd, "kept/snapshot.json"))).mode & 0o777).toBe(0o600);
  });

  test("is the same to the byte at any time, and tells its age beside that", async () => {
    const at = await scene();
    await takeSnapshot(at);
    for (const format of ["text", "json"]) {
      const [now, later] = [
        await preview(at, ["--format", format]),
        await preview(at, ["--format", format], {}, "2026-11-21T11:59:00.000Z"),
      ];
      expect(later.stdout).toBe(now.stdout);
      expect([now.stderr, later.stderr]).toEqual([
        `the snapshot kept/snapshot.json was read just now, at ${readAt}: what has changed since then is not in this plan\n`,
        `the snapshot kept/snapshot.json was read 23h59m ago, at ${readAt}: what has changed since then is not in this plan\n`,
      ]);
    }
  });

  test("creates somebody of whom nobody knew when it was read, and says what that rests on", async () => {
    const at = await scene();
    await at.run(["apply", "--auto-approve"]);
    await takeSnapshot(at);
    await writeRoster(at.cwd, { "roster.yaml": threePeople });
    const { actions, findings } = told(await preview(at, ["--format", "json"]));
    expect(actions.map(({ id }) => id)).toEqual([
      "create-user:cy@acme.example",
      "add-members:acc-1/red",
      "replace-roles:acc-1/red:cy@acme.example",
    ]);
    expect(findings.map(({ code, message }) => [code, message.includes("It has no search for 1 new user")])).toEqual([
      ["not-observed", true],
    ]);
  });

  test("needs no roster when it is read, and goes by the day of the reading", async () => {
    const at = await insideScene();
    const elsewhere = join(at.cwd, "empty");
    await writeRoster(at.cwd, { "empty/.keep": "", "kept/.keep": "" });
    const made = await inside(["snapshot", "--out", "../kept/snapshot.json"], {
      cwd: elsewhere,
      env: at.env,
      clock: clockAt(readAt),
    });
    expect(made.code).toBe(0);
    const until = twoPeople.replace("lastName: Diaz }", "lastName: Diaz, until: 2026-11-21 }");
    await writeRoster(at.cwd, { "roster.yaml": until });
    const next = await preview(at, ["--format", "json"], {}, "2026-11-21T10:00:00.000Z");
    expect(told(next).actions.map(({ id }) => id)).toContain("create-user:bo@acme.example");
  });

  test("settles what a run has left open as a plan of the service would, and what stays open holds back the same", async () => {
    const at = await scene();
    const open = [
      openIntent("r1", `create-user:${emailOf("ada")}`, creationIntent("ada"), "2026-11-20T11:00:00.000Z"),
      {
        ...openIntent("r1", `create-user:${emailOf("bo")}`, creationIntent("bo")),
        at: "2026-11-20T11:59:59.999Z",
        accepted: true as const,
      },
    ];
    await at.remember({ ...emptyState("l"), serial: 3, service: at.server.endpoint, open });
    const read = await at.run(["plan", "--format", "json"], { clock: clockAt(readAt) });
    const made = await takeSnapshot(at);
    expect(made.stdout).toContain("1 call of an earlier run has an unknown outcome");
    expect(deeds(told(await preview(at, ["--format", "json"])))).toEqual(deeds(told(read)));
    expect(told(read).findings.map(({ code }) => code)).toContain("unknown-outcome");
    const [now, later] = [await preview(at), await preview(at, [], {}, "2026-11-21T11:00:00.000Z")];
    expect(later.stdout).toBe(now.stdout);
  });

  test("remembers what the service has refused, and looks after the key that read", async () => {
    const at = await scene({}, { knobs: { maxTitle: 4 } });
    const titled = twoPeople.replace("lastName: Diaz }", "lastName: Diaz, title: Principal }");
    const [prefix = ""] = at.server.key.split(".");
    await writeRoster(at.cwd, { "roster.yaml": `${titled}keys:\n  - { prefix: ${prefix}, roles: [DEVELOPER] }\n` });
    await at.run(["apply", "--auto-approve"]);
    const read = await at.run(["plan", "--format", "json"]);
    expect(told(read).findings.map(({ code }) => code)).toEqual(expect.arrayContaining(["refused", "own-key"]));
    await takeSnapshot(at);
    const foreseen = told(await preview(at, ["--format", "json"]));
    expect(foreseen.actions.map(({ id }) => id)).toEqual(told(read).actions.map(({ id }) => id));
    expect(foreseen.plan_id).toBe(told(read).plan_id);
    expect(foreseen.findings.map(({ code }) => code)).toEqual(expect.arrayContaining(["refused", "own-key"]));
  });

  test("is read from standard input too", async () => {
    const at = await scene();
    await takeSnapshot(at);
    const piped = Readable.from([await readFile(join(at.cwd, "kept/snapshot.json"))]);
    const host = insideHost({ cwd: at.cwd, env: { CI: "true" }, clock: clockAt(readAt) });
    const [named, read] = [
      await preview(at),
      await inside(["plan", "--from", "-"], { cwd: at.cwd }, { ...host, stdin: () => piped }),
    ];
    expect([read.code, read.stdout]).toEqual([0, named.stdout]);
  });

  test("is refused as stale where the snapshot is too old, or not of the past", async () => {
    const at = await scene();
    await takeSnapshot(at);
    const when = { "21T12:00:00.000": 0, "21T12:00:00.001": 6, "20T11:55:00.000": 0, "20T11:54:59.999": 6 };
    for (const [time, code] of Object.entries(when)) {
      const { code: came, stdout } = await preview(at, [], {}, `2026-11-${time}Z`);
      expect([time, came, stdout === ""]).toEqual([time, code, code !== 0]);
    }
  });

  test.each([
    [
      ["--out", "plan.json"],
      "--out cannot be combined with --from: a plan from a snapshot is a preview and cannot be applied.",
    ],
    [["--endpoint", "http://127.0.0.1:1"], "--endpoint cannot be combined with --"],
    [["--state", "file:s.json", "--debug"], "--debug, --state cannot be combined with --"],
    [["--deadline", "1m", "--parallelism", "2"], "--parallelism, --deadline cannot be combined with --"],
    [["-", "--from", "-"], "Standard input cannot be both the snapshot and a roster file."],
  ])("refuses %j", async (args, says) => {
    const at = await scene();
    const { code, says: said } = refusal(await preview(at, args));
    expect([code, said.slice(0, says.length)]).toEqual([3, says]);
  });

  test.each(["apply", "show"])("is made of what `%s` does not take for a plan", async (command) => {
    const at = await scene();
    await takeSnapshot(at);
    expect(refusal(await at.run([command, "kept/snapshot.json"]))).toEqual({
      code: 3,
      says:
        "kept/snapshot.json is not a usable plan file: it is a snapshot. `roster plan --from FILE` shows a " +
        "preview of it; `apply` needs a plan file.",
    });
  });
});

describe("what is explained of a snapshot", () => {
  test("is the story of one person, and nothing of a plan that was saved", async () => {
    const at = await scene();
    await takeSnapshot(at);
    const explain = (...args: readonly string[]) =>
      inside(["explain", ...args], { cwd: at.cwd, env: { CI: "true" }, clock: clockAt(readAt) });
    const story = await explain("user:bo@acme.example", "--from", "kept/snapshot.json");
    expect([story.code, story.stdout.split("\n")[0]]).toEqual([0, "user bo@acme.example"]);
    expect(story.stdout).toContain("create-user:bo@acme.example");
    const nobody = await explain("user:nobody@acme.example", "--from", "kept/snapshot.json");
    expect(nobody.code).not.toBe(0);
    const saved = await preview(at, ["--format", "json"]);
    await writeRoster(at.cwd, { "kept/plan.json": saved.stdout });
    expect(refusal(await explain("user:bo@acme.example", "kept/plan.json", "--from", "kept/snapshot.json"))).toEqual({
      code: 3,
      says: "--from cannot be said of a plan that was saved: it is explained as it is.",
    });
  });
});

describe("what a pull request brings", () => {
  test("is no snapshot: one that git keeps is refused, and one behind a link out of the checkout", async () => {
    const at = await scene();
    await takeSnapshot(at);
    const text = await readFile(join(at.cwd, "kept/snapshot.json"), "utf8");
    gitRepository(join(at.cwd, "co"), "roster.yaml", "own.json", "deep/own.json");
    await writeRoster(at.cwd, {
      "co/roster.yaml": twoPeople,
      "co/own.json": text,
      "co/deep/own.json": text,
      "co/new.json": text,
      "out/s.json": text,
    });
    await symlink("../out/s.json", join(at.cwd, "co/link.json"));
    const from = (path: string, env: Texts = {}) =>
      inside(["plan", "--from", path], {
        cwd: join(at.cwd, "co"),
        env: { CI: "true", ...env },
        clock: clockAt(readAt),
      });
    const codes: string[] = [];
    for (const path of ["own.json", "deep/own.json", "link.json", "new.json", "../out/s.json"])
      codes.push(`${path} ${(await from(path)).code}`);
    expect(codes).toEqual(["own.json 3", "deep/own.json 3", "link.json 3", "new.json 0", "../out/s.json 0"]);
    expect(refusal(await from("own.json")).says).toContain("is kept in git. A change to the repository could edit it");
    expect((await from("own.json", { ROSTER_TRUST_SETTINGS: "1" })).code).toBe(0);
  });

  test("may be settings that lead to the service, which nothing looks at, and none that judge a plan", async () => {
    const at = await scene();
    await takeSnapshot(at);
    const leading =
      "endpoint: http://127.0.0.1:1\nstate: file:elsewhere.json\napiKeyCommand: [touch, ran]\nproxy: http://127.0.0.1:1\nca: nowhere.pem\n";
    await writeRoster(at.cwd, { "roster.config.yaml": `${leading}roster: [roster.yaml]\n` });
    expect((await preview(at)).code).toBe(0);
    await expect(stat(join(at.cwd, "ran"))).rejects.toThrow("ENOENT");
    await writeRoster(at.cwd, { "roster.config.yaml": `${leading}guards: { near-duplicate: off }\n` });
    const { code, stderr } = await preview(at);
    expect([code, stderr.match(/sets \w+/gu)]).toEqual([3, ["sets guards"]]);
  });
});

/** Changed by somebody who has put the checksum right again. */
function forged(text: string, change: (content: Readonly<Record<string, unknown>>) => object): string {
  const { checksum: _, ...content } = JSON.parse(text) as Record<string, unknown>;
  const changed = { ...content, ...change(content) };
  const { document, ...fields } = {
    ...(JSON.parse(text) as object),
    ...changed,
    checksum: sha256(canonicalJson(changed)),
  } as Record<string, unknown>;
  const lines = Object.entries({ document, ...fields }).map(
    ([name, value]) => `${JSON.stringify(name)}: ${valueText(value)}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}

function valueText(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return canonicalJson(value);
  return `[\n${value.map(canonicalJson).join(",\n")}\n]`;
}

describe("a snapshot that cannot be used", () => {
  test("is refused with what is wrong in it, and where", async () => {
    const at = await scene();
    await at.run(["apply", "--auto-approve"]);
    await takeSnapshot(at);
    const text = await readFile(join(at.cwd, "kept/snapshot.json"), "utf8");
    expect(forged(text, () => ({}))).toBe(text);
    const ada = { by: "list", address: addressOf("ada"), email: emailOf("ada") };
    const absent = (...list: readonly object[]) => ({
      absences: list.map((one) => ({ by: "list", proven: true, ...one })),
    });
    const seen = { team: "t", address: "Cy@acme.example", how: "seen", at: readAt };
    const inState = (parts: object) => forged(text, ({ state }) => ({ state: { ...(state as object), ...parts } }));
    const unusable = "kept/snapshot.json is not a usable snapshot:";
    const altered = "something was added, repeated or formatted in line";
    const cases: Readonly<Record<string, readonly [changed: string, says: string]>> = {
      "cut short": [text.slice(0, -20), "it is not complete JSON"],
      "no object": ["[]", "it is not a JSON object"],
      "another document": ['{"document":"roster plan file"}', `${unusable} it is not a snapshot.`],
      "another version": [
        text.replace('"2.0"', '"3.0"'),
        'its format_version is "3.0", but this version of roster reads 2.0',
      ],
      edited: [
        text.replace("Lovelace", "Lovelaze"),
        `${unusable} its checksum does not match: it was damaged or edited.`,
      ],
      "a field more": [forged(text, () => ({ more: 1 })), 'its top level must not have "more"'],
      "not everybody": [forged(text, () => ({ everyone: { read: "incomplete", why: "x" } })), "/everyone"],
      "no time": [
        forged(text, () => ({ readAt: "2026-13-40T12:00:00.000Z" })),
        'the time "2026-13-40T12:00:00.000Z" of "readAt" is not a time',
      ],
      "an address of somebody else": [
        forged(text, () => ({ users: [{ ...ada, email: "bo@acme.example" }] })),
        '/users: the address of "bo@acme.example" is not',
      ],
      "an address as it is written": [forged(text, () => absent({ address: "Cy@acme.example" })), altered],
      "there and absent": [
        forged(text, () => absent({ address: emailOf("ada") })),
        '/absences and /users both have "ada@acme.example"',
      ],
      "somebody absent twice": [
        forged(text, () => absent({ address: emailOf("cy") }, { address: emailOf("cy"), by: "roles" })),
        altered,
      ],
      "another order": [forged(text, ({ users }) => ({ users: [...(users as object[])].reverse() })), altered],
      "roles that are none": [
        forged(text, () => ({ users: [{ ...ada, keys: [{ prefix: "k", roles: ["B", "A"] }] }] })),
        altered,
      ],
      "an address in the state as it is written": [inState({ memberships: [seen] }), altered],
      "the state of another service": [
        inState({ service: "http://other" }),
        'its state is for the service "http://other"',
      ],
      "a state that is none": [inState({ users: 1 }), "/state/users must be array"],
    };
    for (const [name, [changed, says]] of Object.entries(cases)) {
      await writeRoster(at.cwd, { "kept/snapshot.json": changed });
      const result = await preview(at);
      expect([name, result.code, result.stdout]).toEqual([name, 3, ""]);
      expect(refusal(result).says, name).toContain(says);
    }
  });

  test("is refused for an account that it does not hold, where it may be there; else nothing knows the account", async () => {
    const at = await scene();
    await takeSnapshot(at);
    const text = await readFile(join(at.cwd, "kept/snapshot.json"), "utf8");
    await writeRoster(at.cwd, { "roster.yaml": twoPeople.replace("acc-1", "acc-9") });
    const all = told(await preview(at, ["--format", "json"]));
    expect(all.findings.map(({ code }) => code)).toContain("account-unavailable");
    await writeRoster(at.cwd, { "kept/snapshot.json": forged(text, () => ({ accountsAre: "named" })) });
    const named = await preview(at);
    expect([named.code, named.stderr.includes("roster.yaml:2:10")]).toEqual([3, true]);
    expect(refusal(named).says).toMatch(/^The snapshot does not have the account acc-9\./u);
  });

  test("is never written over anything else, under the name of a roster file, or where it is not known who is there", async () => {
    const at = await scene({ "notes.json": "{}" });
    const to = (out: string) => at.run(["snapshot", "--out", out]);
    expect([
      refusal(await to("notes.json")),
      refusal(await to("s.yaml")),
      refusal(await at.run(["snapshot", "nowhere", "--out", "s.json"])),
    ]).toEqual([
      { code: 3, says: "notes.json is no snapshot. roster overwrites only a snapshot with a new one." },
      { code: 3, says: "s.yaml is the name of a roster file, and a snapshot under such a name would be read as one." },
      { code: 3, says: "nowhere does not exist." },
    ]);
    const printed = await at.run(["snapshot", "--out", "-"], { clock: clockAt(readAt) });
    await takeSnapshot(at);
    // The two reads may fall into different seconds of the service.
    const timeless = (text: string) => text.replace(/^"(?:checksum|times)": .*\n/gmu, "");
    expect(timeless(printed.stdout)).toBe(timeless(await readFile(join(at.cwd, "kept/snapshot.json"), "utf8")));
    await at.remember({
      ...emptyState("l"),
      serial: 1,
      service: "http://127.0.0.1:1",
      teams: new Map([
        [teamKeyOf("acc-1", "Red"), { team: teamKeyOf("acc-1", "Red"), name: "Red", account: "acc-1", at: readAt }],
      ]),
    });
    expect((await takeSnapshot(at)).code).toBe(3);
  });

  test("is not kept where the service shows the key in use, and holds no key otherwise", async () => {
    const at = await scene();
    await takeSnapshot(at);
    const [prefix = "", secret = ""] = at.server.key.split(".");
    const text = await readFile(join(at.cwd, "kept/snapshot.json"), "utf8");
    expect([text.includes(secret), text.includes(`"keyInUse": "${prefix}"`)]).toEqual([false, true]);
    const made = await fetch(`${at.server.endpoint}/api/accounting/accounts/acc-1/users`, {
      method: "POST",
      headers: { authorization: `ApiKey ${at.server.key}`, "content-type": "application/json" },
      body: JSON.stringify({ email: "cy@acme.example", firstName: "Cy", lastName: at.server.key }),
    });
    expect(made.ok).toBe(true);
    const { code, stderr } = await takeSnapshot(at);
    expect([code, stderr.includes(secret)]).toEqual([1, false]);
    expect(await readFile(join(at.cwd, "kept/snapshot.json"), "utf8")).toBe(text);
  });

  test("holds nothing of the key in use where the service does not show it", async () => {
    const at = await scene({}, { knobs: { showKeys: "none" } });
    await takeSnapshot(at);
    const [prefix = ""] = at.server.key.split(".");
    expect(await readFile(join(at.cwd, "kept/snapshot.json"), "utf8")).not.toContain(prefix);
  });
});
