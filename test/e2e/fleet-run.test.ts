import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ReferenceServer } from "../../src/reference-server/server.ts";
import { type FormatName, formatsOf } from "../../src/report/formats.ts";
import { emptyDirectory } from "../support/command.ts";
import { type FleetScene, fleetScene } from "../support/fleet-scene.ts";
import { inside, insideHost } from "../support/inside.ts";
import { validatorOf } from "../support/schema-validators.ts";

const dead = "http://127.0.0.1:9";

/** Another client gives the one key of a service a privileged role. */
function escalate(server: ReferenceServer | undefined): void {
  server?.world.setKeyRoles("red-key", ["ACCOUNT_ADMIN", "DEVELOPER", "TEAM_ROLE"]);
}

async function statuses(scene: FleetScene, words: string, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout } = await scene.fleet(`${words} --format json`, env);
  const { fleet } = JSON.parse(stdout);
  return {
    code,
    of: fleet.targets.map((target: Record<string, unknown>) => `${target["name"]}: ${target["status"]}`),
    summary: fleet,
  };
}

test("a privileged gain is the first line, then failures, then changes; clean targets are counted", async () => {
  const scene = await fleetScene([
    { name: "acme" },
    { name: "bolt" },
    { name: "core", endpoint: dead },
    { name: "dash" },
  ]);
  expect((await statuses(scene, "apply --auto-approve")).of).toEqual([
    "acme: clean",
    "bolt: clean",
    "core: failed",
    "dash: clean",
  ]);
  escalate(scene.servers.get("bolt"));
  const { code, stdout, stderr } = await scene.fleet("drift");
  expect(stdout).toBe(
    [
      "1 key has a privileged role that the roster does not give: bolt.",
      "",
      "Targets (2)",
      "  target  result             details",
      "  bolt    1 privileged gain  ada@bolt.example's key in Red gained ACCOUNT_ADMIN.",
      `  core    failed             unreachable: The service at ${dead} cannot be reached: the connection was refused`,
      "",
      "4 targets: 1 failed, 1 with changes, 2 in sync.",
      "Exit code 1: failed.",
      "",
    ].join("\n"),
  );
  expect(code).toBe(1);
  expect(stderr.split("\n").filter((line) => line.startsWith("bolt"))).toEqual([
    "bolt: 1 privileged gain (ada@bolt.example's key in Red gained ACCOUNT_ADMIN.)",
  ]);
  expect((await scene.fleet("drift --include acme --include bolt")).code).toBe(2);
  expect((await scene.fleet("apply --auto-approve --include bolt")).stderr).toBe("bolt: 1 call done\n");
  expect((await scene.fleet("drift --include bolt")).code).toBe(0);
});

test("access says where a person is, and that somebody is nowhere only of targets that were read", async () => {
  const scene = await fleetScene([{ name: "acme" }, { name: "bolt" }, { name: "core", endpoint: dead }]);
  const { code, stdout } = await scene.fleet("access --person ada@acme.example");
  expect(stdout.split("\n").slice(0, 5)).toEqual([
    "Access",
    "  person            target  team  roles",
    "  ada@acme.example  acme    -     SYSTEM_OWNER",
    "  ada@acme.example  acme    -     TEAM_ROLE",
    "  ada@acme.example  acme    Red   TEAM_ROLE",
  ]);
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining(
      "ada@acme.example is a user in 1 of 3 targets, with roles in 1 of them. 1 target was not read whole.",
    ),
  ]);
  const eve = "access --person eve@acme.example";
  expect(await scene.fleet(eve)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("eve@acme.example is not a user in 2 of 3 targets. 1 target was not read whole.\n"),
  });
  expect(await scene.fleet(`${eve} --include acme --include bolt`)).toMatchObject({
    code: 0,
    stdout: "eve@acme.example is nowhere: in none of 2 targets.\n",
    stderr: expect.stringMatching(/^(?:(?:acme|bolt): no user\n){2}$/u),
  });
  const all = await statuses(scene, "access --include acme");
  expect(all.summary.targets[0].access).toEqual([
    { person: "ada@acme.example", roles: ["SYSTEM_OWNER"], privileged: true },
    { person: "ada@acme.example", roles: ["TEAM_ROLE"], privileged: false },
    { person: "ada@acme.example", team: "Red", roles: ["TEAM_ROLE"], privileged: false },
  ]);
});

test("a leaver who is still a user is not nowhere, whatever the keys show; who is deleted is", async () => {
  const scene = await fleetScene([{ name: "acme" }, { name: "bolt", knobs: { showKeyRoles: "none" } }]);
  const [acme, bolt] = [scene.servers.get("acme")?.world, scene.servers.get("bolt")?.world];
  const ask = () => scene.fleet("access --person eve@acme.example");
  const rowOf = async (name: string) => {
    const { code, stdout } = await ask();
    const row = stdout.split("\n").find((line) => line.startsWith(`  eve@acme.example  ${name}`));
    return [code, row?.split(/ {2,}/u).slice(2), stdout.split("\n").at(-2)];
  };
  acme?.addUser({ email: "eve@acme.example", firstName: "Eve", lastName: "K" });
  const ownKey = acme?.users.at(-1)?.accessKeys[0]?.prefix ?? "";
  const alone = "eve@acme.example is a user in 1 of 2 targets, without roles.";
  acme?.setKeyRoles(ownKey, []);
  acme?.setUserStatus("eve@acme.example", "Inactive");
  expect(await rowOf("acme")).toEqual([9, ["acme", "-", "barred user: 1 key without roles"], alone]);
  acme?.removeKey(ownKey);
  expect(await rowOf("acme")).toEqual([9, ["acme", "-", "barred user: no key"], alone]);
  bolt?.addUser({ email: "eve@acme.example", firstName: "Eve", lastName: "K" });
  expect(await rowOf("bolt")).toEqual([
    9,
    ["bolt", "-", "active user: roles not shown"],
    "eve@acme.example is a user in 2 of 2 targets. 1 target was not read whole.",
  ]);
  for (const world of [acme, bolt]) world?.setUserStatus("eve@acme.example", "Deleted");
  expect(await ask()).toMatchObject({ code: 0, stdout: "eve@acme.example is nowhere: in none of 2 targets.\n" });
});

test.each(["Eve", "eve@acme.example,"])("access asks for no person who has no e-mail address: %s", async (person) => {
  const scene = await fleetScene([{ name: "acme" }]);
  const { code, stdout, stderr } = await scene.fleet(`access --person ${person}`);
  expect([code, stdout, stderr]).toEqual([3, "", expect.stringContaining("error[bad-flag-value]")]);
});

test("access ends with 9 where a target answered, but did not show all", async () => {
  const scene = await fleetScene([{ name: "acme" }, { name: "bolt", knobs: { showKeyRoles: "none" } }]);
  const { code, stdout } = await scene.fleet("access");
  expect([code, stdout]).toEqual([
    9,
    expect.stringContaining("bolt    1 user with hidden roles  Parts are unread: the service does not show them."),
  ]);
});

test("the tasks of all targets stand by owner and age, and the page has people and targets", async () => {
  const scene = await fleetScene([{ name: "acme" }, { name: "bolt" }, { name: "core", endpoint: dead }]);
  for (const name of ["acme", "bolt"]) {
    const file = join(scene.cwd, "rosters", name, "roster.yaml");
    const text = readFileSync(file, "utf8").replace("firstName: Ada", "firstName: Ida, owner: hr");
    writeFileSync(file, name === "acme" ? text : text.replace(", owner: hr", ""));
  }
  const { stdout } = await scene.fleet("drift --report html=out");
  expect(stdout).toContain(
    [
      "Tasks by owner (2)",
      "  owner  since  target  task",
      "  hr     new    acme    user ada@acme.example: profile-differs",
      "  -      new    bolt    user ada@bolt.example: profile-differs",
      "",
      "Targets (3)",
      "  target  result            details",
      "  core    failed            unreachable: The service at http://127.0.0.1:9 cannot be reached: the connection was refused",
      "  acme    1 change, 1 task  change the roles of ada@acme.example's key red-key in Red; user ada@acme.example: profile-differs",
    ].join("\n"),
  );
  expect(stdout).not.toContain("People and targets");
  const page = readFileSync(join(scene.cwd, "out", "index.html"), "utf8").replace(/<[^>]*>/gu, " ");
  expect(page.replace(/\s+/gu, " ")).toContain(
    "People and targets (2) person acme bolt core ada@acme.example ! 3 roles unread ada@bolt.example ! 3 roles unread",
  );
});

test("nothing of the environment, and nothing of another target, stands in for what is a target's own", async () => {
  const scene = await fleetScene([{ name: "acme" }, { name: "bolt" }]);
  await scene.fleet("apply --auto-approve");
  const others = {
    ROSTER_ENDPOINT: dead,
    ROSTER_API_KEY: "other.s3cret-s3cret",
    ROSTER_STATE: "file:other.json",
    ROSTER_ACCOUNT: "acc-9",
  };
  expect(await statuses(scene, "drift", others)).toMatchObject({ code: 0, of: ["acme: clean", "bolt: clean"] });
  expect(await statuses(scene, "drift", { ROSTER_KEY_ACME: "" })).toMatchObject({
    code: 3,
    of: ["acme: failed", "bolt: clean"],
    summary: { targets: [{ exit_code: 3, error: { code: "no-key" } }, { exit_code: 0 }] },
  });
  // Its key, with what is another one's.
  const crossed = { ROSTER_KEY_ACME: scene.env["ROSTER_KEY_BOLT"] ?? "" };
  expect(await statuses(scene, "drift", crossed)).toMatchObject({ code: 4, of: ["acme: failed", "bolt: clean"] });
  expect(readdirSync(scene.cwd).sort()).toEqual(["fleet.yaml", "rosters", "states"]);
  expect(readdirSync(join(scene.cwd, "states")).filter((name) => name.endsWith(".json"))).toEqual([
    "acme.json",
    "bolt.json",
  ]);
});

test("after so many failures no target is started, nor after an interrupt", async () => {
  const names = ["a", "b", "c", "d"];
  const scene = await fleetScene(names.map((name) => ({ name, endpoint: dead })));
  expect(await statuses(scene, "plan --parallelism 1 --max-failures 2")).toMatchObject({
    code: 7,
    of: ["a: failed", "b: failed", "c: not-started", "d: not-started"],
  });
  const host = insideHost({ cwd: scene.cwd, env: scene.env });
  host.interrupt("SIGTERM");
  const { code, stdout } = await inside(["fleet", "plan"], { cwd: scene.cwd }, host);
  expect([code, stdout]).toEqual([143, expect.stringContaining("4 targets: 4 not started.")]);
});

test.each(["plan", "drift", "apply --auto-approve"])("a fleet file in a checkout is not trusted: %s", async (words) => {
  const scene = await fleetScene([{ name: "acme" }]);
  mkdirSync(join(scene.cwd, ".git"));
  for (const env of [{}, { CI: "1" }]) {
    const { code, stderr } = await scene.fleet(words, env);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/error\[untrusted\]: .* is in a checkout\./u)]);
    // What a pipeline validates, it runs. A person may check the file of their own checkout.
    const checked = await scene.fleet("validate", env);
    expect([checked.code, checked.stderr]).toEqual("CI" in env ? [code, stderr] : [0, ""]);
  }
  expect((await scene.fleet(words, { ROSTER_TRUST_SETTINGS: "1" })).code).toBe(words === "drift" ? 2 : 0);
});

test("reports are a file for each target and a summary; no key is in any of them", async () => {
  const scene = await fleetScene([{ name: "acme" }, { name: "bolt" }]);
  await scene.fleet("apply --auto-approve");
  escalate(scene.servers.get("acme"));
  const formats = formatsOf("drift");
  const words = formats.map((format) => `--report ${format}=out`).join(" ");
  const runner = join(scene.cwd, "runner");
  expect((await scene.fleet(`drift ${words}`, { GITHUB_OUTPUT: runner, GITHUB_STEP_SUMMARY: runner })).code).toBe(2);
  const files = readdirSync(join(scene.cwd, "out"), { recursive: true, encoding: "utf8" }).sort();
  const others: Partial<Record<FormatName, string>> = {
    ...{ text: "txt", markdown: "md", prometheus: "prom", github: "github.txt" },
    ...{ gitlab: "gitlab.json", "gitlab-terraform": "gitlab-terraform.json" },
  };
  const ends = formats.map((format) => others[format] ?? format).sort();
  expect(files).toEqual([
    "index.html",
    "summary.json",
    "summary.md",
    "summary.prom",
    "summary.txt",
    "targets",
    ...["acme", "bolt"].flatMap((name) => ends.map((end) => `targets/${name}.${end}`)),
  ]);
  expect(readdirSync(scene.cwd)).not.toContain("runner");
  const texts = files
    .filter((file) => file !== "targets")
    .map((file) => readFileSync(join(scene.cwd, "out", file), "utf8"));
  for (const key of Object.values(scene.env))
    expect(texts.filter((text) => text.includes(key.split(".")[1] ?? ""))).toEqual([]);
  const text = (file: string) => readFileSync(join(scene.cwd, "out", file), "utf8");
  expect(text("index.html")).toContain('<a href="targets/acme.html">acme</a>');
  expect(text("summary.md")).toContain("\n**1 key has a privileged role that the roster does not give: acme.**\n");
  expect(text("summary.prom")).toContain('roster_fleet_target_privileged_gains{command="fleet",target="acme"} 1\n');
  expect(text("targets/acme.prom")).toContain('roster_drift_privileged_gains{command="drift",roster="acme"} 1\n');
  expect(JSON.parse(text("targets/acme.json"))).toMatchObject({ command: "drift", exit_code: 2 });
  const validate = validatorOf("fleet-summary");
  expect([validate(JSON.parse(text("summary.json"))), validate.errors]).toEqual([true, null]);
});

test("a key may be in a file or come from a command, in the directory of the fleet file", async () => {
  const scene = await fleetScene([{ name: "acme" }, { name: "bolt" }]);
  const at = emptyDirectory();
  const text = readFileSync(join(scene.cwd, "fleet.yaml"), "utf8");
  const others = text
    .replace("{ env: ROSTER_KEY_ACME }", "{ file: keys/acme }")
    .replace("{ env: ROSTER_KEY_BOLT }", "{ command: [cat, keys/bolt] }")
    .replaceAll("rosters/", `${scene.cwd}/rosters/`);
  mkdirSync(join(at, "keys"));
  for (const name of ["acme", "bolt"])
    writeFileSync(join(at, "keys", name), `${scene.env[`ROSTER_KEY_${name.toUpperCase()}`]}\n`);
  writeFileSync(join(at, "fleet.yaml"), others);
  const { code, stdout } = await inside(["fleet", "apply", "--auto-approve", "--fleet", join(at, "fleet.yaml")], {
    cwd: emptyDirectory(),
  });
  expect([code, stdout]).toEqual([0, "2 targets: 2 in sync.\n"]);
  expect(readdirSync(join(at, "states")).filter((name) => name.endsWith(".json"))).toEqual(["acme.json", "bolt.json"]);
});

test("the roster and the errors of one target are its own", async () => {
  const scene = await fleetScene([{ name: "acme" }, { name: "bolt" }]);
  writeFileSync(join(scene.cwd, "rosters/acme/roster.yaml"), "version: 2\n");
  expect(await statuses(scene, "apply --auto-approve")).toMatchObject({
    code: 3,
    of: ["acme: failed", "bolt: clean"],
    summary: {
      targets: [
        { error: { code: "unsupported-version", message: expect.stringMatching(/roster\.yaml:1:10: This/u) } },
        {},
      ],
    },
  });
});

test("the command that a target's report prints runs as it is, for this target alone", async () => {
  const scene = await fleetScene([{ name: "acme" }, { name: "bolt" }]);
  const roster = join(scene.cwd, "rosters/acme/roster.yaml");
  writeFileSync(roster, readFileSync(roster, "utf8").replace("roles: [", "roles: [ACCOUNT_ADMIN, "));
  await scene.fleet("plan --report text=out");
  const report = readFileSync(join(scene.cwd, "out/targets/acme.txt"), "utf8");
  const [, words = "", code = ""] =
    /`roster fleet ([^`]*--allow (\S+) [^`]*)`/u.exec(report.replace(/\s+/gu, " ")) ?? [];
  expect(`${words}\n`).toBe(`apply --auto-approve --include acme --allow ${code} --reason TEXT\n`);
  expect((await scene.fleet(words.replace("TEXT", "INC-42"))).stderr).toBe("acme: 1 call done\n");
});

test.skipIf(Number(process.versions.node.split(".")[0]) >= 22)("a worker says which Node it needs", async () => {
  const scene = await fleetScene([{ name: "acme" }]);
  const env = { ROSTER_QUEUE: "postgres://roster@127.0.0.1:9/roster", ROSTER_COMMIT: "c0ffee" };
  for (const words of ["worker", "enqueue"]) {
    const { code, stderr } = await scene.fleet(words, env);
    expect([code, stderr]).toEqual([3, expect.stringContaining("This command needs Node 22.12 or later")]);
  }
  const { code, stderr } = await scene.fleet("status", env);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("the queue could not be reached at postgres://127.0.0.1:9"),
  ]);
});
