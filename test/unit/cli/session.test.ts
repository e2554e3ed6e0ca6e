import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { CommandResult } from "../../../src/cli/output/finish.ts";
import { openSession, runCommand } from "../../../src/cli/session.ts";
import { lockState } from "../../../src/cli/stores/lock.ts";
import type { RosterError } from "../../../src/library/error.ts";
import { systemClock, systemRandomness } from "../../../src/library/system.ts";
import { problem, success } from "../../../src/model/result.ts";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import type { OpenTransport } from "../../../src/service/client.ts";
import { emptyDirectory, roster } from "../../support/command.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../support/fixed-ports.ts";
import { innerRoster } from "../../support/inner-command.ts";
import { insideHost } from "../../support/inside.ts";
import { writeRoster } from "../../support/roster-directory.ts";
import { certificates, overTls } from "../../support/tls-front.ts";
import { type TunnelScript, tunnelProxy } from "../../support/tunnel-proxy.ts";

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "roster-session-"));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const base: CommandResult = { command: "state", tells: "success-only", diagnostics: [] };
const flags = { format: "text", state: "file:log.jsonl" } as const;
const unsaved: RosterError = { reason: "failed", problem: { code: "state", message: "the disk is full" } };

function request(env: Readonly<Record<string, string>> = {}) {
  return { command: "state", flags, host: insideHost({ cwd, env }), needs: ["store"] } as const;
}

describe("a session", () => {
  test("has what was asked for, and nothing else", async () => {
    const session = await openSession(request());
    if (!session.ok) throw new Error("The session is not open.");
    const { store, ...rest } = session.value;
    expect([store.address, "policy" in rest && rest.policy, "service" in rest && rest.service]).toEqual([
      `file:${join(cwd, "log.jsonl")}`,
      undefined,
      undefined,
    ]);
    expect(await session.value.close()).toEqual(success(undefined));
  });

  test("closes what was opened last first, each once, and goes on after an error", async () => {
    const session = await openSession(request());
    if (!session.ok) throw new Error("The session is not open.");
    const { onClose, close } = session.value;
    const closed: string[] = [];
    onClose(async () => void closed.push("first"));
    onClose(async () => {
      closed.push("second");
      return unsaved;
    });
    onClose(async () => void closed.push("third"));
    expect(await close()).toEqual(problem(unsaved));
    expect(await close()).toEqual(success(undefined));
    expect(closed).toEqual(["third", "second", "first"]);
  });

  test("says what is wrong before anything is opened", async () => {
    const session = await openSession(request({ ROSTER_PARALLELISM: "many" }));
    expect(session).toMatchObject({ error: { stop: { diagnostics: [{ code: "bad-value" }] } } });
  });
});

describe("a command", () => {
  test("is stopped by what could not be saved, unless something else has stopped it", async () => {
    const stopped: RosterError = { reason: "stale" };
    const run = (result: CommandResult) =>
      runCommand(async (open) => {
        const session = await open(request());
        if (session.ok) session.value.onClose(async () => unsaved);
        return result;
      });
    expect(await run(base)).toEqual({ ...base, stop: unsaved });
    expect(await run({ ...base, stop: stopped })).toEqual({ ...base, stop: stopped });
  });

  test("gives its lock back where it throws", async () => {
    const failing = runCommand(async (open) => {
      const session = await open(request());
      if (session.ok) await lockState(session.value, "state resolve", { timeout: 0 });
      throw new Error("a defect");
    });
    await expect(failing).rejects.toThrow("a defect");
    const holder = await runCommand(async (open) => {
      const session = await open(request());
      if (!session.ok) return { ...base, ...session.error };
      const { address } = session.value.store;
      const read = await session.value.store.holder();
      return read.ok ? { ...base, state: { did: "look-at-lock", address, holder: read.value } } : base;
    });
    expect(holder.state).toEqual({ did: "look-at-lock", address: `file:${join(cwd, "log.jsonl")}`, holder: "nobody" });
  });

  test("saves and unlocks once where it has closed the lock itself", async () => {
    const states = await runCommand(async (open) => {
      const session = await open(request());
      if (!session.ok) return { ...base, ...session.error };
      const locked = await lockState(session.value, "state resolve", { timeout: 0 });
      if (!locked.ok) return { ...base, stop: locked.error };
      const closed = await locked.value.lock.close();
      return closed.ok ? base : { ...base, stop: unsaved };
    });
    expect(states).toEqual(base);
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
  const { code, stderr } = await innerRoster(["plan", "roster.yaml"], {
    cwd: directory,
    env: { ROSTER_ENDPOINT: "https://service.example", ROSTER_API_KEY: "pre.secret" },
    clock: systemClock,
    randomness: systemRandomness,
    openTransport,
  });
  expect(code).toBe(1);
  expect(stderr).toContain("The service cannot be reached: nothing is carried");
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
  return innerRoster(["doctor", "--debug"], { cwd, env: all, ...ports });
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
  test.each<[string, Files, Files, RegExp]>([
    [
      "a proxy of another kind",
      { HTTPS_PROXY: "socks5://ada:hush-hush@127.0.0.1:1" },
      {},
      /error\[bad-value\].*named by HTTPS_PROXY, is of the kind socks5/u,
    ],
    [
      "a proxy that is no address",
      {},
      { "roster.config.yaml": "proxy: 'http://ada:hush-hush@'\n" },
      /error\[bad-value\].*named by the settings, is not a URL/u,
    ],
    [
      "authorities that are not there",
      { ROSTER_CA_FILE: "none.pem" },
      {},
      /error\[bad-value\].*none\.pem, named by ROSTER_CA_FILE, cannot be read: ENOENT/u,
    ],
    [
      "authorities of an empty file",
      {},
      { "co/ca.pem": "\n", "roster.config.yaml": "ca: co/ca.pem\n" },
      /error\[bad-value\].*co\/ca\.pem, named by ca in the settings, cannot be used: the file is empty/u,
    ],
    [
      "a proxy of a pipeline's checkout",
      { CI: "1" },
      { "roster.config.yaml": "proxy: p.example\n" },
      /error\[untrusted\].*CI is set.* sets proxy: /u,
    ],
    [
      "an authority of a pipeline's checkout",
      { CI: "1" },
      { "roster.config.yaml": "ca: ca.pem\n" },
      /error\[untrusted\].*CI is set.* sets ca: /u,
    ],
    [
      "a proxy and an authority of the checkout",
      {},
      { "roster.config.yaml": "ca: ca.pem\nproxy: p.example\n" },
      /error\[untrusted\].*sets both proxy and ca/u,
    ],
  ])("%s is refused before anything is sent", async (_name, env, files, words) => {
    const { code, stderr } = await doctor(env, files);
    expect(code).toBe(3);
    expect(stderr).toMatch(words);
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
