import { expect, test } from "vitest";
import { sharedTransports } from "../../../src/library/shared-connections.ts";
import type { OpenTransport } from "../../../src/service/client.ts";
import type { Call } from "../../../src/service/requests.ts";
import { clockAt } from "../../support/fixed-ports.ts";

const call = (effect: Call["effect"]): Call => ({ method: "GET", path: "/", shown: "/", effect });

/** Transports that answer when the test says so. */
function heldTransports() {
  const opened: { readonly origin: string; readonly connections: number }[] = [];
  const sent: { readonly key: string; readonly end: () => void }[] = [];
  const open: OpenTransport = ({ origin, connections }) => {
    opened.push({ origin, connections });
    return {
      send: (_call, key) =>
        new Promise((resolve) => {
          sent.push({ key, end: () => resolve({ is: "no-answer", why: "unreachable", sent: true, cause: "" }) });
        }),
      close: async () => undefined,
    };
  };
  return { opened, sent, open };
}

const options = { connections: 10, timeout: 1000, largestAnswer: 1000, clock: clockAt("2026-11-20T09:00:00Z") };
const turn = () => new Promise((done) => setImmediate(done));

test("targets of one origin share its connections, and no more reads are under way than may be", async () => {
  const { opened, sent, open } = heldTransports();
  const shared = sharedTransports(2, open);
  const [one, other, elsewhere] = ["https://a.example", "https://a.example", "https://b.example"].map((origin) =>
    shared.open({ ...options, origin }),
  );
  const reads = ["k1", "k2", "k3"].map((key) => one?.send(call("read"), key));
  reads.push(other?.send(call("read"), "k4"), elsewhere?.send(call("read"), "k5"));
  await turn();
  expect(sent.map(({ key }) => key)).toEqual(["k1", "k2", "k5"]);
  sent[0]?.end();
  await turn();
  expect(sent.map(({ key }) => key)).toEqual(["k1", "k2", "k5", "k3"]);
  expect(opened).toEqual([
    { origin: "https://a.example", connections: 2 },
    { origin: "https://b.example", connections: 2 },
  ]);
});

test("a write does not wait behind reads that are not under way", async () => {
  const { sent, open } = heldTransports();
  const transport = sharedTransports(1, open).open({ ...options, origin: "https://a.example" });
  for (const key of ["k1", "k2"]) void transport.send(call("read"), key);
  void transport.send(call("write"), "k3");
  await turn();
  expect(sent.map(({ key }) => key).sort()).toEqual(["k1", "k3"]);
});
