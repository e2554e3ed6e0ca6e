import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectorFor, openOrigin } from "../../../src/http/origin.ts";
import { readAuthorities } from "../../../src/http/tls.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { onLoopback } from "../../support/loopback.ts";
import { secureServer } from "../../support/secure-server.ts";
import { certificates } from "../../support/tls-front.ts";

const get = { method: "GET", path: "/", headers: { authorization: "hush" }, onceSent: "cut-off" } as const;

function pem(name: string): string {
  return readFileSync(`${certificates}/${name}.pem`, "utf8");
}

function asked(origin: string, ca?: readonly string[]) {
  const trust = ca === undefined ? {} : { ca };
  const opened = openOrigin({ origin, connections: 1, timeout: 5000, largestAnswer: 1000, clock: timerBy(), ...trust });
  onTestFinished(() => opened.close());
  return opened.send(get);
}

const authority = "If a private authority issues its certificates, set ROSTER_CA_FILE to the file of that authority";

test("a server that refuses a connection which stood already is named as well", async () => {
  const server = await secureServer("private", onTestFinished);
  const heard: string[] = [];
  const refused = ({ cause }: { readonly cause: string }) => void heard.push(cause);
  const options = { ca: [pem("private")], timeout: 5000, refused, opening: new Set<Socket>() };
  const connect = connectorFor(`https://localhost:${server.port}`, options);
  const socket = await new Promise<Socket | undefined>((done) => {
    connect((...[, ready]) => done(ready));
  });
  socket?.destroy(Object.assign(new Error("alert"), { code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED" }));
  await new Promise((closed) => socket?.on("close", closed));
  expect(heard).toEqual(["it requires a client certificate, and roster has none"]);
});

describe("an origin:", () => {
  test.each([
    ["signs itself", "private", "localhost", [], { cause: "its certificate is self-signed", hint: authority }],
    [
      "is of another authority",
      "accounts",
      "localhost",
      ["private"],
      { cause: "the issuer of its certificate is unknown", hint: authority },
    ],
    [
      "is for another host",
      "accounts",
      "localhost",
      ["authority"],
      { cause: "its certificate is for accounts.acme.example, *.teams.acme.example, not for localhost" },
    ],
    ["has expired", "expired", "localhost", ["expired"], { cause: "its certificate has expired, on 2021-01-01" }],
    [
      "is not valid yet",
      "future",
      "localhost",
      ["future"],
      { cause: "its certificate is not valid yet, but as of 2100-01-01", hint: "Check the clock of this machine" },
    ],
  ])("a certificate that %s is refused before a byte is sent", async (_name, shown, host, trusted, trouble) => {
    const server = await secureServer(shown, onTestFinished);
    const exchange = await asked(`https://${host}:${server.port}`, trusted.map(pem));
    expect({ exchange, seen: server.seen }).toEqual({
      exchange: { is: "no-answer", sent: false, why: "barred", ...trouble },
      seen: [],
    });
  });

  test("a certificate of a private authority is accepted, by name and by address", async () => {
    const server = await secureServer("private", onTestFinished);
    for (const host of ["localhost", "127.0.0.1"]) {
      expect(await asked(`https://${host}:${server.port}`, [pem("authority"), pem("private")])).toMatchObject({
        is: "answer",
        status: 200,
      });
    }
  });

  test.each<[string, TlsOptions, string]>([
    [
      "older versions of TLS alone",
      { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      "it supports neither TLS 1.2 nor TLS 1.3",
    ],
    [
      "a client certificate",
      { requestCert: true, rejectUnauthorized: true, maxVersion: "TLSv1.2" },
      "it refused the TLS handshake: it may require a client certificate or other ciphers",
    ],
  ])("a server that wants %s is named", async (_name, options, cause) => {
    const server = await secureServer("private", onTestFinished, options);
    expect(await asked(`https://localhost:${server.port}`, [pem("private")])).toMatchObject({
      why: "barred",
      cause,
    });
    expect(server.seen).toEqual([]);
  });

  test("a port that speaks plain HTTP is named", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n");
    });
    expect(await asked(`https://localhost:${await onLoopback(server, onTestFinished)}`)).toEqual({
      is: "no-answer",
      sent: false,
      why: "barred",
      cause: "it does not speak TLS on this port",
      hint: "Check the port of the address, and whether https:// or http:// is right",
    });
  });

  test("plain HTTP stays on this machine", async () => {
    expect(await asked("http://192.0.2.1:8080")).toEqual({
      is: "no-answer",
      sent: false,
      why: "barred",
      cause: "it would be reached without encryption: http:// works only for this machine",
    });
  });
});

const one = readFileSync(`${certificates}/private.pem`, "utf8");
const other = readFileSync(`${certificates}/expired.pem`, "utf8");
const key = readFileSync(`${certificates}/key.pem`, "utf8");

test("the certificates of a file are taken, whatever stands between them", () => {
  const text = `# ours\r\n${one.replaceAll("\n", "\r\n")}\nissuer: somebody\n${key}${other}`;
  const read = readAuthorities(text);
  expect(read.ok && read.value.map((certificate) => certificate.replaceAll("\r", ""))).toEqual([
    one.trim(),
    other.trim(),
  ]);
});

test.each([
  ["an empty file", "\n", "cannot be used: the file is empty"],
  ["a file without a certificate", key, "cannot be used: the file contains no certificate"],
  ["one that ends within a certificate", one.slice(0, 200), "cannot be used: the file contains no certificate"],
  [
    "one with a broken certificate",
    one + other.replace(/\n.{20}/u, "\nAAAA"),
    "cannot all be read: number 2 is broken",
  ],
])("%s is refused", (_name, text, why) => {
  expect(readAuthorities(text)).toEqual({ ok: false, error: why });
});
