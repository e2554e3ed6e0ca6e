import { expect, test } from "vitest";
import type { Scripted } from "../../support/scripted-server.ts";
import { scriptedService } from "../../support/scripted-service.ts";

const date = "Fri, 20 Nov 2026 09:00:00 GMT";
const told = Date.parse(date) + 1000;

test.each<[string, Scripted, number | undefined]>([
  ["the header Date", { json: [], headers: { date } }, told],
  ["nothing where an answer is from a cache", { json: [], headers: { date, age: "600" } }, undefined],
  [
    "nothing where a proxy says that its cache had it",
    { json: [], headers: { date, "x-cache": "HIT from cdn" } },
    undefined,
  ],
  [
    "the header Date where a proxy asked the service",
    { json: [], headers: { date, "x-cache": "MISS from cdn" } },
    told,
  ],
  ["nothing where it failed", { status: 404, json: {}, headers: { date } }, undefined],
  ["nothing where the header is no date of HTTP", { json: [], headers: { date: "2026-11-20T09:00:00Z" } }, undefined],
  ["nothing where there are two", { json: [], headers: { date: `${date}, ${date}` } }, undefined],
])("the time of the service is %s", async (_, answer, time) => {
  const { service } = await scriptedService([answer]);
  const earliest = service.times?.reading();
  await service.listRoles();
  expect([service.times?.latest(), earliest?.()]).toEqual([time, time === undefined ? undefined : time - 1000]);
});

test("a call that slept since its announcement is not sent, and may be announced anew", async () => {
  const { service, server, clock } = await scriptedService([{ status: 201, json: { identifier: "u-1" } }]);
  const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };
  const announced = { wall: clock.now(), monotonic: clock.monotonic() };
  const create = (since: typeof announced) => service.createUser("acc-1", ada, undefined, undefined, since);
  // By a clock that was set back meanwhile, no time has passed.
  const slept = { wall: announced.wall, monotonic: announced.monotonic - 2001 };
  expect(await create(slept)).toMatchObject({ outcome: "failed", sendAgain: "too-late" });
  expect(await create({ ...announced, wall: announced.wall - 2001 })).toMatchObject({ sendAgain: "too-late" });
  expect(server.seen).toEqual([]);
  expect(await create(announced)).toMatchObject({ outcome: "done" });
});
