import { expect, test } from "vitest";
import { ageLog, expectPruned, pruneLog } from "../../../support/aged-log.ts";
import { smallS3Place } from "../../../support/s3-place.ts";
import type { S3Way } from "../../../support/small-s3.ts";

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
      found.add(await expectPruned(place.open()));
    }
    expect([...found].sort()).toEqual(["new", "old"]);
  },
);
