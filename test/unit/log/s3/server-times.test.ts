import { expect, test } from "vitest";
import type { Exchange } from "../../../../src/http/origin.ts";
import { s3Place } from "../../../../src/log/s3/address.ts";
import { s3Store } from "../../../../src/log/s3/store.ts";
import { clockAt, countingRandomness } from "../../../support/fixed-ports.ts";

const noon = "2026-11-20T12:00:00.000Z";
const date = "Fri, 20 Nov 2026 09:00:00 GMT";

/** A store that has been read, at a server that tells its time. */
async function storeAt(endpoint: string) {
  const place = s3Place("", { bucket: "acme", key: "log" }, { region: "eu-west-1", endpoint });
  if (!place.ok) throw new Error(place.error);
  const clock = clockAt(noon);
  const http = {
    send: async (): Promise<Exchange> => {
      const headers = new Map([["date", date] as const, ["etag", '"1"'] as const]);
      return { is: "answer", status: 200, headers, body: "" };
    },
    close: async () => undefined,
  };
  const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
  const store = s3Store({ place: place.value, credentials, http, clock, randomness: countingRandomness() });
  await store.read();
  return { store, clock };
}

test("a bucket tells the time of its service, and a read that begins later knows it", async () => {
  const { store, clock } = await storeAt("https://s3.example");
  clock.move(5000);
  expect([store.times?.latest(), store.times?.reading()()]).toEqual([
    Date.parse(date) + 1000 + 5000,
    Date.parse(date) + 5000,
  ]);
});

test("a bucket on this machine has the clock of this machine, and tells nothing", async () => {
  const { store } = await storeAt("http://127.0.0.1:9000");
  expect(store.times?.latest()).toBeUndefined();
});
