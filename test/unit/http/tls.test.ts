import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { openOrigin } from "../../../src/http/origin.ts";
import { readProxy } from "../../../src/http/proxy.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { closedEndpoint } from "../../support/scripted-server.ts";
import { secureServer } from "../../support/secure-server.ts";
import { certificates } from "../../support/tls-front.ts";
import { type TunnelScript, tunnelProxy } from "../../support/tunnel-proxy.ts";

const origin = "https://accounts.acme.example:8443";
const get = { method: "GET", path: "/secret-path", headers: { authorization: "hush" }, onceSent: "cut-off" } as const;
const pem = (name: string) => readFileSync(`${certificates}/${name}.pem`, "utf8");

function through(address: string, options: { readonly timeout?: number; readonly to?: string } = {}) {
  const proxy = readProxy(address);
  if (!proxy.ok) throw new Error(proxy.error);
  const opened = openOrigin({
    origin: options.to ?? origin,
    connections: 2,
    timeout: options.timeout ?? 5000,
    largestAnswer: 1000,
    clock: timerBy(),
    proxy: proxy.value,
    ca: [pem("authority"), pem("private")],
  });
  onTestFinished(() => opened.close());
  return opened;
}

async function proxyFor(script: TunnelScript) {
  const server = await secureServer("accounts", onTestFinished);
  return { server, proxy: await tunnelProxy({ to: server.port, ...script }, onTestFinished) };
}

// They are loaded with the first connection, which must not count as the proxy's time.
await Promise.all([import("../../../src/http/tls.ts"), import("../../../src/http/tls.ts")]);

const credentials = "Write them in the address of the proxy: http://NAME:PASSWORD@proxy.example:3128";
const mayIt = "Check that the proxy may connect to this host and port";

describe("an origin:", () => {
  test("the proxy is told host, port and its own credentials, and sees nothing of a request", async () => {
    const { server, proxy } = await proxyFor({});
    const opened = through(proxy.address.replace("//", "//ada:hu%20sh@"));
    expect(await opened.send(get)).toMatchObject({ is: "answer", status: 200, body: "{}" });
    expect(proxy.asked).toEqual([
      {
        authority: "accounts.acme.example:8443",
        credentials: `Basic ${Buffer.from("ada:hu sh").toString("base64")}`,
        headers: ["connection", "host", "proxy-authorization", "user-agent"],
      },
    ]);
    expect(proxy.carried()).not.toMatch(/hush|secret-path|GET/u);
    expect(server.seen).toEqual([expect.stringContaining("GET /secret-path")]);
    expect(server.seen.join()).not.toContain("roxy");
  });

  test("one tunnel carries several requests, and several stand side by side", async () => {
    const { server, proxy } = await proxyFor({});
    const opened = through(proxy.address);
    await opened.send(get);
    await opened.send(get);
    await Promise.all([opened.send(get), opened.send(get)]);
    expect({ tunnels: proxy.asked.length, requests: server.seen.length }).toEqual({ tunnels: 2, requests: 4 });
  });

  test("a proxy may speak TLS itself, trusted by the same authorities", async () => {
    const { server, proxy } = await proxyFor({ certificate: "private" });
    expect(await through(proxy.address).send(get)).toMatchObject({ is: "answer" });
    expect(server.seen.length).toBe(1);
  });

  test("the certificate is the origin's to show, not the proxy's", async () => {
    const { server, proxy } = await proxyFor({});
    expect(await through(proxy.address, { to: "https://other.acme.example" }).send(get)).toEqual({
      is: "no-answer",
      sent: false,
      why: "barred",
      cause: `its certificate is for accounts.acme.example, *.teams.acme.example, not for other.acme.example, through the proxy ${proxy.address}`,
    });
    expect({ asked: proxy.asked.map(({ authority }) => authority), seen: server.seen }).toEqual({
      asked: ["other.acme.example:443"],
      seen: [],
    });
  });

  test.each<[string, TunnelScript, string, { why: string; cause: string; hint?: string }]>([
    [
      "asks for credentials",
      { refusesWith: 407 },
      "",
      {
        why: "barred",
        cause: "refuses the connection (407): it requires a user name and a password",
        hint: credentials,
      },
    ],
    [
      "does not accept the credentials",
      { refusesWith: 407 },
      "ada:hush@",
      {
        why: "barred",
        cause: "refuses the connection (407): it rejects the user name and the password",
        hint: credentials,
      },
    ],
    [
      "forbids the host",
      { refusesWith: 403 },
      "",
      { why: "barred", cause: "refuses the connection (403)", hint: mayIt },
    ],
    [
      "sends elsewhere",
      { refusesWith: 302 },
      "",
      { why: "barred", cause: "refuses the connection (302)", hint: mayIt },
    ],
    [
      "cannot reach it now",
      { refusesWith: 503 },
      "",
      { why: "unreachable", cause: "refuses the connection (503)", hint: mayIt },
    ],
    ["is silent", { hangs: true }, "", { why: "unreachable", cause: "did not connect within 0.5 s" }],
    [
      "has a certificate that is not valid",
      { certificate: "future" },
      "",
      {
        why: "barred",
        cause: "cannot be reached: its certificate is not valid yet, but as of 2100-01-01",
        hint: "Check the clock of this machine",
      },
    ],
  ])(
    "a proxy that %s is told as such, and not a byte of the request counts as sent",
    async (_name, script, who, told) => {
      const { server, proxy } = await proxyFor(script);
      const opened = through(proxy.address.replace("//", `//${who}`), {
        timeout: script.hangs === true ? 1000 : 10_000,
      });
      expect(await opened.send(get)).toEqual({
        is: "no-answer",
        sent: false,
        ...told,
        cause: `the proxy ${proxy.address} ${told.cause}`,
      });
      expect(server.seen).toEqual([]);
    },
  );

  test("a connection that nobody waits for any more is ended with the rest", async () => {
    const { proxy } = await proxyFor({ hangs: true });
    const opened = through(proxy.address, { timeout: 60_000 });
    const stop = new AbortController();
    const sent = opened.send(get, stop.signal);
    while (proxy.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect(await sent).toMatchObject({ sent: false, why: "aborted" });
    expect(proxy.open()).toBe(1);
    await opened.close();
    while (proxy.open() > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("a proxy that nobody runs is told as such", async () => {
    const { origin: nowhere } = await closedEndpoint();
    expect(await through(nowhere.replace("//", "//ada:hush@")).send(get)).toEqual({
      is: "no-answer",
      sent: false,
      why: "unreachable",
      cause: `the proxy ${nowhere} cannot be reached: the connection was refused`,
      hint: "Check the address of the proxy",
    });
  });
});
