import { afterEach, expect, test } from "vitest";
import { openHttpClient } from "../../../src/network/origin.ts";
import { closedEndpoint, type Scripted, scriptedServer } from "../../support/scripted-server.ts";

const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const limits = { timeout: 5000, largestAnswer: 1000, clock: Date };

async function against(script: readonly Scripted[], clock: { now(): number } = Date) {
  const server = await scriptedServer(script);
  const client = openHttpClient({ ...limits, origin: server.endpoint.origin, clock });
  cleanUp.push(
    () => client.close(),
    () => server.close(),
  );
  return { server, client };
}

test("a request is sent as it is, by any method, and answered with status, headers and body", async () => {
  const { server, client } = await against([{ status: 423, json: { ID: "x" }, headers: { "X-Lock": "y" } }]);
  const answer = await client.send({
    method: "LOCK",
    url: new URL("/state/acme?serial=3", server.endpoint),
    headers: { authorization: "Basic eA==" },
    body: '{"ID":"z"}',
  });
  expect(answer).toMatchObject({ ok: true, value: { status: 423, body: '{"ID":"x"}' } });
  expect(answer.ok && answer.value.headers.get("x-lock")).toBe("y");
  expect(server.seen).toMatchObject([
    {
      method: "LOCK",
      url: "/state/acme?serial=3",
      headers: { authorization: "Basic eA==", "accept-encoding": "identity", "content-length": "10" },
      body: { ID: "z" },
    },
  ]);
});

test("a redirect is an answer like any other", async () => {
  const { server, client } = await against([{ status: 307, text: "", headers: { location: "/elsewhere" } }]);
  expect(await client.send({ method: "GET", url: server.endpoint, headers: {} })).toMatchObject({
    ok: true,
    value: { status: 307 },
  });
  expect(server.seen.length).toBe(1);
});

test("a request for another origin is not sent", async () => {
  const { server, client } = await against([{ text: "" }]);
  const answer = await client.send({ method: "GET", url: new URL("http://127.0.0.1:1/"), headers: {} });
  expect(answer).toEqual({
    ok: false,
    error: {
      sent: false,
      cause: `the request is for http://127.0.0.1:1, but roster sends only to ${server.endpoint.origin}`,
    },
  });
});

test("where nobody listens, nothing was sent", async () => {
  const { origin } = await closedEndpoint();
  const client = openHttpClient({ ...limits, origin });
  cleanUp.push(() => client.close());
  expect(await client.send({ method: "GET", url: new URL(origin), headers: {} })).toEqual({
    ok: false,
    error: {
      sent: false,
      cause: "the connection was refused",
      hint: "Check the address, and check that the service is running",
    },
  });
});

test("a process that slept between the handing over and the first byte sends nothing", async () => {
  const times = [0, 3_600_000];
  const { server, client } = await against([{ text: "" }], { now: () => times.shift() ?? 3_600_000 });
  expect(await client.send({ method: "POST", url: server.endpoint, headers: {}, body: "{}" })).toEqual({
    ok: false,
    error: { sent: false, cause: "this process was paused for 3600 s before it could send" },
  });
  expect(server.seen).toEqual([]);
  expect(await client.send({ method: "POST", url: server.endpoint, headers: {}, body: "{}" })).toMatchObject({
    ok: true,
  });
});
