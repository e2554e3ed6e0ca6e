import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLog, withLock } from "../../../src/cli/log.ts";
import { type Command, runCommand } from "../../../src/cli/run-command.ts";
import { readSettings } from "../../../src/cli/settings/settings.ts";
import { systemClock, systemRandomness } from "../../../src/library/environment.ts";
import { stopError } from "../../../src/library/error.ts";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import type { OpenTransport } from "../../../src/service/client.ts";
import { casesOf, pairsOf } from "../../support/cases.ts";
import { emptyDirectory, roster } from "../../support/command.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../support/fixed-ports.ts";
import { inside, insideHost } from "../../support/inside.ts";
import { writeRoster } from "../../support/roster-directory.ts";
import { certificates, overTls } from "../../support/tls-front.ts";
import { type TunnelScript, tunnelProxy } from "../../support/tunnel-proxy.ts";

const flags = { format: "json", state: "file:log.jsonl" } as const;
const unsaved = () => stopError("failed", "state", "the disk is full");

/** Runs a command in a directory of its own, and says what it came to. */
async function ran(work: (command: Command) => Promise<void>, cwd = emptyDirectory()) {
  const host = insideHost({ cwd });
  const { exitCode } = await runCommand("state", flags, host, work);
  const { error, diagnostics, exit_code } = JSON.parse(host.told.stdout);
  return { exitCode, printed: exit_code, problem: error?.code, diagnostics };
}

describe("a command", () => {
  test("closes what was opened last first, each once, and goes on after an error", async () => {
    const closed: string[] = [];
    const step = (name: string, error?: Error) => ({
      async close() {
        closed.push(name);
        if (error !== undefined) throw error;
      },
    });
    const ended = await ran(async ({ closing }) => {
      closing(step("first"));
      closing(step("second", unsaved()));
      closing(step("third"));
    });
    expect([closed, ended]).toEqual([
      ["third", "second", "first"],
      { exitCode: 1, printed: 1, problem: "state", diagnostics: [] },
    ]);
  });

  test("says in its one document what could not be saved, though it has told a document of its own", async () => {
    const ended = await ran(async ({ closing, tell }) => {
      tell({ ownWords: { json: "{}\n", text: "" } });
      closing({ close: () => Promise.reject(unsaved()) });
    });
    expect(ended).toEqual({ exitCode: 1, printed: 1, problem: "state", diagnostics: [] });
  });

  test("is stopped by what stopped its work before what could not be saved", async () => {
    const ended = await ran(async ({ closing }) => {
      closing({ close: () => Promise.reject(unsaved()) });
      throw stopError("stale", "stale", "a newer roster was applied");
    });
    expect([ended.exitCode, ended.problem]).toEqual([6, "stale"]);
  });

  test("says what it had found before its error", async () => {
    const warning = { code: "unused", severity: "warning", message: "Nobody uses it." } as const;
    const ended = await ran(async ({ tell }) => {
      tell({ diagnostics: [warning] });
      throw stopError("refused", "guard", "a guard refuses the plan");
    });
    expect(ended).toMatchObject({ exitCode: 5, printed: 5, problem: "guard", diagnostics: [{ code: "unused" }] });
  });

  test("gives its lock back where it throws, and the defect is thrown on", async () => {
    const cwd = emptyDirectory();
    const failing = ran(async (command) => {
      const log = await openLog(await readSettings(flags, command.host), command.host);
      await withLock(command, log, "state resolve", {}, async () => {
        throw new Error("a defect");
      });
    }, cwd);
    await expect(failing).rejects.toThrow("a defect");
    await ran(async ({ host }) => {
      const log = await openLog(await readSettings(flags, host), host);
      expect(await log.store.holder()).toEqual({ ok: true, value: "nobody" });
    }, cwd);
  });
});

test("a host may carry the calls to the account service itself, so that nothing is sent over the network", async () => {
  const directory = emptyDirectory();
  writeFileSync(
    join(directory, "roster.yaml"),
    "version: 1\naccount: acc-1\nusers: [{ email: ada@acme.example, firstName: Ada, lastName: L }]\n",
  );
  const seen: string[] = [];
  const openTransport: OpenTransport = ({ origin }) => ({
    async send({ method, path }, key) {
      seen.push(`${method} ${origin}${path} with ${key}`);
      return { is: "no-answer", why: "barred", sent: false, cause: "nothing is carried" };
    },
    close: async () => void seen.push("closed"),
  });
  const { code, stderr } = await inside(["plan", "roster.yaml"], {
    cwd: directory,
    env: { ROSTER_ENDPOINT: "https://service.example", ROSTER_API_KEY: "pre.secret" },
    clock: systemClock,
    randomness: systemRandomness,
    openTransport,
  });
  expect(code).toBe(1);
  expect(stderr).toContain("The service at https://service.example cannot be reached: nothing is carried");
  expect(seen).toContain("GET https://service.example/api/accounting/accounts/acc-1 with pre.secret");
  expect(seen.at(-1)).toBe("closed");
});

const service = "https://accounts.acme.example";
const authority = `${certificates}/authority.pem`;

async function served(certificate: string) {
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const front = await overTls(server.endpoint, certificate, onTestFinished);
  return { server, port: Number(new URL(front).port), front };
}

type Files = Readonly<Record<string, string>>;

async function doctor(env: Files, files: Files = {}) {
  const cwd = emptyDirectory();
  await writeRoster(cwd, { "keep.txt": "", ...files });
  const all = { ROSTER_ENDPOINT: service, ROSTER_API_KEY: "prefix1.s3cretpart", ...env };
  const ports = { clock: clockAt(noon), randomness: countingRandomness() };
  return inside(["doctor", "--debug"], { cwd, env: all, ...ports });
}

async function proxied(script: TunnelScript = {}) {
  const { server, port } = await served("accounts");
  const proxy = await tunnelProxy({ to: port, ...script }, onTestFinished);
  return { server, proxy, withCredentials: proxy.address.replace("//", "//ada:hush-hush@") };
}

describe("a service behind a proxy", () => {
  test.each([
    ["a variable", (proxy: string): [Files, Files] => [{ HTTPS_PROXY: proxy, ROSTER_CA_FILE: authority }, {}]],
    [
      "the settings, beside an authority of a variable",
      (proxy: string): [Files, Files] => [{ ROSTER_CA_FILE: authority }, { "roster.config.yaml": `proxy: ${proxy}\n` }],
    ],
    [
      "settings that are trusted, with an authority beside them",
      (proxy: string): [Files, Files] => [
        { ROSTER_TRUST_SETTINGS: "1", CI: "true" },
        { "roster.config.yaml": `proxy: ${proxy}\nca: ${authority}\n` },
      ],
    ],
  ])("is reached by %s, and no credentials are told", async (_name, said) => {
    const { server, proxy, withCredentials } = await proxied();
    const key = { ROSTER_API_KEY: server.key };
    const [env, files] = said(withCredentials);
    const { code, stdout, stderr } = await doctor({ ...env, ...key }, files);
    expect({ code, told: stdout.includes(`through the proxy ${proxy.address}`) }).toEqual({ code: 0, told: true });
    expect(new Set(proxy.asked.map((asked) => `${asked.authority} ${asked.credentials}`))).toEqual(
      new Set([`accounts.acme.example:443 Basic ${Buffer.from("ada:hush-hush").toString("base64")}`]),
    );
    expect(`${stdout}${stderr}`).not.toMatch(/hush|YWRhOmh1c2gtaHVzaA/u);
  });

  test("that refuses is told as the proxy's doing, and tried once", async () => {
    const { server, proxy, withCredentials } = await proxied({ refusesWith: 407 });
    const { code, stdout, stderr } = await doctor({ HTTPS_PROXY: withCredentials, ROSTER_CA_FILE: authority });
    expect({ code, requests: server.requests, tunnels: proxy.asked.length }).toEqual({
      code: 1,
      requests: [],
      tunnels: 1,
    });
    expect(stderr).toContain(`the proxy ${proxy.address} refuses the connection (407)`);
    expect(`${stdout}${stderr}`).not.toMatch(/hush|YWRhOmh1c2gtaHVzaA/u);
  });
});

describe("what is said of the way", () => {
  // Variables, the settings, a file, and what is said.
  test.each(
    casesOf([
      "a proxy of another kind | HTTPS_PROXY=socks5://ada:hush-hush@127.0.0.1:1 | | bad-value .*named by HTTPS_PROXY, is of the kind socks5",
      "a proxy that is no address | | {proxy: 'http://ada:hush-hush@'} | bad-value .*named by the settings, is not a URL",
      "authorities that are not there | ROSTER_CA_FILE=none.pem | | bad-value .*none\\.pem, named by ROSTER_CA_FILE, cannot be read: ENOENT",
      "authorities of an empty file | | {ca: co/ca.pem} | bad-value .*co/ca\\.pem, named by ca in the settings, cannot be used: the file is empty",
      "a proxy and an authority of the checkout | | {ca: ca.pem, proxy: p.example} | untrusted .*sets both proxy and ca",
    ]),
  )("%s is refused before anything is sent", async (_name, env = "", settings = "", said = "") => {
    const { code, stderr } = await doctor(pairsOf(env), { "co/ca.pem": "\n", "roster.config.yaml": settings });
    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`error\\[${said.replace(" ", "\\]")}`, "u"));
    expect(stderr).not.toContain("hush");
  });

  test("authorities of a file are trusted beside those that Node was told of", async () => {
    const { server, front } = await served("private");
    const env = { ROSTER_ENDPOINT: front, ROSTER_API_KEY: server.key, ROSTER_CA_FILE: authority };
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: `${certificates}/private.pem` };
    const { code, stdout } = await roster(["doctor"], { cwd: emptyDirectory(), env: trusting });
    expect({ code, told: stdout.includes("roster also trusts the authorities in") }).toEqual({ code: 0, told: true });
  });
});
