import { expect, test } from "vitest";
import { type Knobs, knobRegistry } from "../../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../../src/reference-server/seed.ts";
import { startedService } from "./knobs/effect.ts";

const bo = { email: "bo@acme.example", firstName: "Bo", lastName: "D" };
const seed: Seed = {
  users: [bo],
  teams: [{ identifier: "t-air", name: "Air", admin: bo.email }],
  keys: [{ prefix: "own1", owner: bo.email, kind: "user", roles: ["TEAM_ROLE"] }],
};
const creation = { email: "ada@acme.example", firstName: "Ada", lastName: "L", team: { name: "Sea" } };

function valuesOf(name: string): readonly string[] {
  const knob = knobRegistry.get(name);
  if (knob?.is !== "choice") throw new Error(`${name} is no choice`);
  return Object.keys(knob.values);
}

/** The statuses of a creation, an addition and a replacement, each done, and no body with a 204. */
async function answered(knobs: Partial<Knobs>) {
  const { post, put, server } = await startedService(seed, knobs);
  const answers = [
    await post("/accounts/acc-1/users", creation),
    await post("/teams/t-air/members", [{ identifier: bo.email }]),
    await put("/access-keys/own1/roles", [{ identifier: "DEVELOPER" }]),
  ];
  const done = [server.world.users.length, server.world.teams.map((team) => team.members.length)];
  expect(done).toEqual([3, [1, 1]]);
  expect(server.world.users[0]?.accessKeys[0]?.roles).toEqual([{ identifier: "DEVELOPER" }]);
  expect(answers.filter(({ status, headers }) => status === 204 && headers.has("content-type"))).toEqual([]);
  return answers.map(({ status }) => status);
}

test.each(valuesOf("create"))(
  "a creation in the shape %s has the status that is chosen, except a later one",
  async (create) => {
    const statuses: unknown[] = [];
    for (const createStatus of valuesOf("createStatus")) {
      const [status] = await answered({ create, createStatus } as Partial<Knobs>);
      statuses.push(status);
    }
    expect(statuses).toEqual(create === "C9" ? [202, 202, 202] : [200, 201, 202]);
  },
);

test.each(valuesOf("members"))(
  "an addition in the shape %s has the status that is chosen, except a queued one",
  async (members) => {
    const statuses: unknown[] = [];
    for (const membersStatus of ["200", "201", "204"]) {
      const [, status] = await answered({ members, membersStatus } as Partial<Knobs>);
      statuses.push(status);
    }
    expect(statuses).toEqual(members === "M7" ? [202, 202, 202] : [200, 201, 204]);
  },
);

test.each(valuesOf("putRolesAnswer"))(
  "a replacement in the shape %s has the status that is chosen, except an accepted one",
  async (putRolesAnswer) => {
    const statuses: unknown[] = [];
    for (const putRolesStatus of ["200", "204"]) {
      const [, , status] = await answered({ putRolesAnswer, putRolesStatus } as Partial<Knobs>);
      statuses.push(status);
    }
    expect(statuses).toEqual(putRolesAnswer === "accepted" ? [202, 202] : [200, 204]);
  },
);

test("an addition of which a part failed keeps the status that says so", async () => {
  const { post } = await startedService(seed, { members: "M4", membersStatus: "204" });
  const { status, body } = await post("/teams/t-air/members", [{ identifier: bo.email }, { identifier: "nobody" }]);
  expect([status, body]).toMatchObject([207, { failures: [{ identifier: "nobody" }] }]);
});

test("whoever is there already is answered with 200 and with conflicts as before", async () => {
  const there = await startedService(seed, { create: "C11", createStatus: "202" });
  expect((await there.post("/accounts/acc-1/users", bo)).status).toBe(200);
  const conflict = await startedService(seed, { createStatus: "200" });
  expect((await conflict.post("/accounts/acc-1/users", bo)).status).toBe(409);
});
