import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommandLine } from "../../../src/cli/command-line/program.ts";
import { knobRegistry } from "../../../src/reference-server/knobs/registry.ts";
import { emptyDirectory } from "../../support/command.ts";
import { insideHost } from "../../support/inside.ts";
import { freePort } from "../../support/loopback.ts";

function run(cwd: string, ...flags: readonly string[]) {
  return runWith({}, cwd, flags);
}

function runWith(env: Readonly<Record<string, string>>, cwd: string, flags: readonly string[]) {
  const host = insideHost({ env, cwd });
  return {
    said: host.told,
    ended: runCommandLine(["serve", "--port", "0", ...flags], host),
    interrupt: () => host.interrupt("SIGINT"),
  };
}

/** A running service, with its answer to some requests. */
async function serving(cwd: string, ...flags: readonly string[]) {
  const { said, ended, interrupt } = run(cwd, ...flags);
  onTestFinished(interrupt);
  const told = async (): Promise<string> => {
    for (;;) {
      if (said.stdout.includes("ROSTER_API_KEY=")) return said.stdout;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const greeting = await Promise.race([told(), ended.then((code) => `ended with ${code}: ${said.stderr}`)]);
  const endpoint = /ROSTER_ENDPOINT=(\S+)/u.exec(greeting)?.[1] ?? greeting;
  const authorization = `ApiKey ${/ROSTER_API_KEY=(\S+)/u.exec(greeting)?.[1]}`;
  const get = async (path: string) => {
    const response = await fetch(endpoint + path, { headers: { authorization } });
    return [response.status, await response.json()];
  };
  const post = (path: string, body: unknown) =>
    fetch(endpoint + path, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const stop = async () => {
    interrupt();
    return [await ended, said.stderr];
  };
  return { get, post, said, stop, greeting };
}

const roles = "/api/accounting/roles?per-page=1";
const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "L" };

test("of two values of one knob the last holds", async () => {
  const knobs = [
    "roleList=R2",
    "envelope=L5",
    "flaky=list@1,create@2",
    "total=none",
    "envelope=L6",
    "pageBase=one-strict",
  ];
  const { get, stop } = await serving(emptyDirectory(), ...knobs.flatMap((knob) => ["--knob", knob]));
  expect(await get(roles)).toEqual([200, { next: expect.any(String), previous: null, results: ["SYSTEM_OWNER"] }]);
  expect((await get("/api/accounting/users"))[0]).toBe(503);
  expect((await get(`${roles}&page=0`))[0]).toBe(400);
  expect(await stop()).toEqual([0, "Stopped. No data was saved.\n"]);
});

test("--knob public answers as the public pages show, and a knob beats it", async () => {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, "seed.yaml"), `users: [{ email: ${ada.email}, firstName: Ada, lastName: L }]\n`);
  const flags = ["--knob", "public", "--seed", "seed.yaml", "--knob", "times=z"];
  const { get, post } = await serving(cwd, ...flags);
  const time = "1970-01-01T00:00:00.000Z";
  const account = { identifier: "acc-1", name: "Acme" };
  expect(await get("/api/accounting/users?per-page=1")).toEqual([
    200,
    [
      {
        identifier: "u-1",
        externalIdentifier: null,
        firstName: "Ada",
        lastName: "L",
        title: null,
        email: ada.email,
        pictureURL: null,
        status: "Active",
        source: null,
        lastActiveDateTime: time,
        createdAt: time,
        updatedAt: time,
        visited: true,
        onboarded: true,
        activeAccessKeyCount: 1,
        account,
        submittedJobs: 0,
        listAccessKeys: [
          {
            prefix: expect.any(String),
            name: "Ada's user key",
            description: null,
            isDefault: true,
            isHighPriority: false,
            status: "Active",
            createdAt: time,
            lastActiveDateTime: null,
            submittedJobs: 0,
            retrieved: true,
            roles: [{ identifier: "TEAM_ROLE" }],
            labels: [{ identifier: "label-1", name: "Production" }],
            keyType: "user",
            account,
            user: { identifier: "u-1", email: ada.email, firstName: "Ada", lastName: "L" },
          },
        ],
      },
    ],
  ]);
  expect((await post("/api/accounting/accounts/acc-1/users", ada)).status).toBe(400);
});

test("without flags it answers plainly, and shows its outbox and its log", async () => {
  const { get, greeting } = await serving(emptyDirectory());
  expect(await get(roles)).toEqual([200, [expect.objectContaining({ identifier: "SYSTEM_OWNER" })]]);
  expect(await get("/reference/outbox")).toEqual([200, []]);
  expect(greeting).toContain("/reference/outbox");
});

const windows = { ComSpec: "C:\\Windows\\system32\\cmd.exe", USERPROFILE: "C:\\Users\\ada" };
const ofUser = { PSModulePath: "C:\\Users\\ada\\Documents\\PowerShell\\Modules;C:\\Program Files\\x" };
const posix = (key: string) => `export ROSTER_API_KEY=${key}`;
const powerShell = (key: string) => `$env:ROSTER_API_KEY = "${key}"`;
const csh = (key: string) => `setenv ROSTER_API_KEY ${key}`;

test.each<[string, Readonly<Record<string, string>>, (key: string) => string]>([
  ["no shell that is known", {}, posix],
  ["zsh in PowerShell", { SHELL: "/bin/zsh", PSModulePath: "x", _: "/usr/local/bin/roster" }, posix],
  ["fish, which knows export", { SHELL: "/usr/bin/fish", _: "/usr/bin/fish" }, posix],
  ["bash after a login with tcsh", { SHELL: "/bin/tcsh", _: "/usr/bin/npx" }, posix],
  ["Git Bash", { ...windows, SHELL: "/usr/bin/bash", PSModulePath: "C:\\Program Files\\x", PROMPT: "$P$G" }, posix],
  ["csh", { SHELL: "/bin/csh" }, csh],
  ["tcsh in bash", { SHELL: "/bin/bash", _: "/usr/bin/tcsh" }, csh],
  ["PowerShell on Linux", { SHELL: "/bin/bash", PSModulePath: "x", _: "/usr/bin/pwsh" }, powerShell],
  ["PowerShell on Windows", { ...windows, PSModulePath: "D:\\Modules" }, powerShell],
  ["PowerShell in cmd", { ...windows, ...ofUser, PROMPT: "$P$G" }, powerShell],
  ["cmd", { ...windows, PSModulePath: "C:\\Program Files\\x", PROMPT: "$P$G" }, (key) => `set ROSTER_API_KEY=${key}`],
])("the key that it makes is shown for %s, even where the environment holds the same one", async (_, env, line) => {
  const key = /ROSTER_API_KEY=(\S+)/u.exec((await serving(emptyDirectory())).greeting)?.[1] ?? "";
  const { said, interrupt, ended } = runWith({ ROSTER_API_KEY: key, ...env }, emptyDirectory(), []);
  while (!said.stdout.includes("ROSTER_API_KEY")) await new Promise((resolve) => setTimeout(resolve, 2));
  interrupt();
  await ended;
  expect(said.stdout.split("\n").filter((one) => one.includes("ROSTER_API_KEY"))).toEqual([line(key)]);
});

test("data are kept at the port's own file in .roster/serve, and serve says where and how to start empty", async () => {
  const cwd = emptyDirectory();
  const port = String(await freePort());
  const file = `.roster/serve/${port}.json`;
  const first = await serving(cwd, "--port", port);
  expect(first.greeting).toContain(`Data: ${file}. To start empty, stop the service and remove this file.\n`);
  await first.post("/api/accounting/accounts/acc-1/users", ada);
  const before = await first.get("/api/accounting/users");
  expect(await first.stop()).toEqual([0, `Stopped. All data is in ${file}.\n`]);
  expect(statSync(join(cwd, ".roster")).mode & 0o777).toBe(0o700);
  const second = await serving(cwd, "--port", port);
  expect(await second.get("/api/accounting/users")).toEqual(before);
  await second.stop();
  const third = await serving(cwd, "--port", port, "--data", "memory");
  expect(third.greeting).toContain("Data: in memory only. It is lost when the service stops.\n");
  expect(JSON.stringify(await third.get("/api/accounting/users"))).not.toContain(ada.email);
  await third.stop();
  expect(readFileSync(join(cwd, file), "utf8")).toContain(ada.email);
});

test("with --port 0 nothing is kept unless --data names a file", async () => {
  const cwd = emptyDirectory();
  const { greeting, stop } = await serving(cwd);
  expect(greeting).toContain("Data: in memory only.");
  expect(await stop()).toEqual([0, "Stopped. No data was saved.\n"]);
  expect(readdirSync(cwd)).toEqual([]);
});

test("where data are there, --seed is not used, and serve says so", async () => {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, "seed.yaml"), `users: [{ email: ${ada.email}, firstName: Ada, lastName: L }]\n`);
  const flags = ["--data", "service.json", "--seed", "seed.yaml"];
  const first = await serving(cwd, ...flags);
  await first.stop();
  expect(first.said.stderr).toBe("Stopped. All data is in service.json.\n");
  const second = await serving(cwd, ...flags);
  await second.get("/api/accounting/users");
  expect(second.said.stderr).toBe("warning: --seed seed.yaml was not used: service.json has data already.\n");
});

test("--knob list shows every knob with its values and its default", async () => {
  const { said, ended } = run(emptyDirectory(), "--knob", "list");
  expect(await ended).toBe(0);
  for (const [name, knob] of knobRegistry) {
    expect(said.stdout).toContain(`\n${name}=`.replace(/^\n(?=pageBase)/u, ""));
    expect(said.stdout).toContain(knob.about);
    if (knob.is === "choice")
      for (const meaning of Object.values(knob.values)) expect(said.stdout).toContain(`  ${meaning}\n`);
  }
});

test.each<[string, readonly string[], string]>([
  ["an unknown knob", ["--knob", "pagebase=zero"], "Unknown knob `pagebase`.\n  hint: Did you mean `pageBase`?"],
  ["a knob without a value", ["--knob", "envelope"], "The knob `envelope` cannot be ``."],
  ["an unknown value", ["--knob", "link=nnone"], "Did you mean `none`? Write one of ok, none, always,"],
  ["a number that is none", ["--knob", "maxPerPage=many"], "Write a whole number, 1 or more."],
  ["requests that are none", ["--knob", "hang=lists@1"], "Write never, or requests such as create@1,"],
  ["a data file that is none", ["--data", "wrong.yaml"], "The data file wrong.yaml cannot be used: it is not JSON."],
])("%s is an error with exit code 3", async (_, flags, message) => {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, "wrong.yaml"), "pageBase: zro\nfooo: [1]\n");
  const { said, ended } = run(cwd, ...flags);
  expect(await ended).toBe(3);
  expect(said.stderr + said.stdout).toContain(message);
});

test("data that cannot be written while it serves are said, and a failure at the end", async () => {
  const cwd = emptyDirectory();
  mkdirSync(join(cwd, "kept"));
  const { get, post, said, stop } = await serving(cwd, "--data", "kept/service.json");
  rmSync(join(cwd, "kept"), { recursive: true });
  expect((await post("/api/accounting/accounts/acc-1/users", ada)).status).toBe(503);
  const problem =
    "error: The data file kept/service.json cannot be written: ENOENT. The service answers 503 until it can be written.\n";
  expect(said.stderr).toBe(problem);
  expect((await get(roles))[0]).toBe(503);
  expect(await stop()).toEqual([
    1,
    `${problem}error[unwritable]: The data file kept/service.json cannot be read or written: ENOENT.\n` +
      "  hint: Pass another file as --data, or --data memory to keep no data.\n" +
      "For details, run `roster explain unwritable`.\n",
  ]);
});

test("data that cannot be written are a failure", async () => {
  const { said, ended } = run(emptyDirectory(), "--data", "missing/service.json");
  expect(await ended).toBe(1);
  expect(said.stderr).toContain("The data file missing/service.json cannot be read or written: ENOENT.");
});
