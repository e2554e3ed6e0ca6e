import { expect, test } from "vitest";
import { verifyLog } from "../../../../src/log/checkpoint.ts";
import { ageLog, pruneLog } from "../../../support/aged-log.ts";
import { addressOf } from "../../../support/roster-builders.ts";
import { smallS3Place } from "../../../support/s3-place.ts";
import type { S3Way } from "../../../support/small-s3.ts";
import { unwrap } from "../../../support/state-place.ts";

const [ada, bo] = [addressOf("ada"), addressOf("bo")];

/** Prunes an aged log; from a request on, none is answered as usual. */
async function struckPrune(from: number, then: S3Way) {
  const place = await smallS3Place();
  await ageLog(async () => place.open());
  let requests = 0;
  place.server.answer(() => {
    requests += 1;
    return requests > from ? then : "usual";
  });
  await pruneLog(place.open()).catch(() => undefined);
  place.server.answer(() => "usual");
  return { place, requests };
}

test("the objects of pruned lines are emptied, and their names are never free", async () => {
  const { place: whole } = await struckPrune(Number.POSITIVE_INFINITY, "usual");
  const texts = [...whole.server.objects()].filter(([path]) => /\d{8}$/u.test(path)).map(([, text]) => text);
  expect(texts.filter((text) => text === "\n").length).toBeGreaterThan(1);
  expect(texts.join("")).not.toContain("ada@acme.example");
  expect(texts.findIndex((text) => text.startsWith('{"position":') && text.includes('"hash":'))).toBeGreaterThan(1);
});

test.each<[string, S3Way]>([["nothing more is done", { status: 403, code: "AccessDenied" }]])(
  "a prune leaves the old log or the new one where it breaks off at any request: %s",
  async (_, then) => {
    const { requests } = await struckPrune(Number.POSITIVE_INFINITY, "usual");
    const found = new Set<string>();
    for (let from = 0; from < requests; from += 1) {
      const { place } = await struckPrune(from, then);
      const store = place.open();
      const holder = unwrap(await store.holder());
      if (holder !== "nobody") unwrap(await store.kept.breakLease(holder.id));
      const users = [...unwrap(await store.read()).users.keys()];
      unwrap(await verifyLog(store));
      const isOld = users.includes(ada);
      found.add(isOld ? "old" : "new");
      expect(users).toEqual(isOld ? [ada, bo] : [bo]);
      if (isOld) await pruneLog(store);
      expect([...unwrap(await place.open().read()).users.keys()]).toEqual([bo]);
      unwrap(await verifyLog(place.open()));
    }
    expect([...found].sort()).toEqual(["new", "old"]);
  },
);
