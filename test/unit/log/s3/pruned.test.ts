import { expect, test } from "vitest";
import { ageLog, expectPruned, pruneLog } from "../../../support/aged-log.ts";
import { oneIn } from "../../../support/property-runs.ts";
import { smallS3Place } from "../../../support/s3-place.ts";
import type { S3Way } from "../../../support/small-s3.ts";

async function agedObjects(): Promise<ReadonlyMap<string, string>> {
  const place = await smallS3Place();
  await ageLog(async () => place.open());
  return place.server.objects();
}

/** Prunes an aged log; from a request on, none is answered as usual. */
async function struckPrune(aged: ReadonlyMap<string, string>, from: number, then: S3Way) {
  const place = await smallS3Place();
  place.server.replace(aged);
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
  const { place: whole } = await struckPrune(await agedObjects(), Number.POSITIVE_INFINITY, "usual");
  const texts = [...whole.server.objects()].filter(([path]) => /\d{8}$/u.test(path)).map(([, text]) => text);
  expect(texts.filter((text) => text === "\n").length).toBeGreaterThan(1);
  expect(texts.join("")).not.toContain("ada@acme.example");
  expect(texts.findIndex((text) => text.startsWith('{"position":') && text.includes('"hash":'))).toBeGreaterThan(1);
});

test("a prune leaves the old log or the new one where it breaks off at any request, and nothing more is done", async () => {
  const aged = await agedObjects();
  const { requests } = await struckPrune(aged, Number.POSITIVE_INFINITY, "usual");
  const found = new Set<string>();
  for (const from of oneIn(4, Array(requests).keys())) {
    const { place } = await struckPrune(aged, from, { status: 403, code: "AccessDenied" });
    found.add(await expectPruned(place.open()));
  }
  expect([...found].sort()).toEqual(["new", "old"]);
});
