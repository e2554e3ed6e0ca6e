import { expect, test } from "vitest";
import type { Knobs } from "../../../../src/reference-server/knobs/registry.ts";
import { referenceService } from "../../../support/drawn/reference-service.ts";

const at = Date.parse("2026-11-20T12:00:00Z");

function opened(knobs: Partial<Knobs> = {}) {
  const person = (email: string) => ({ email, firstName: "A", lastName: "B", ownRoles: ["TEAM_ROLE"] });
  const service = referenceService({
    knobs,
    seed: {
      account: "acc-1",
      people: [
        { ...person("root@acme.example"), ownRoles: ["ACCOUNT_ADMIN"] },
        person("gus@acme.example"),
        person("hana@acme.example"),
      ],
      teams: [
        { name: "Ops", admin: "gus@acme.example", members: [{ email: "gus@acme.example", roles: ["DEVELOPER"] }] },
      ],
    },
    origin: "https://service.example",
    now: () => at,
  });
  const headers = { authorization: `ApiKey ${service.key}`, "content-type": "application/json" };
  const send = (method: string, path: string, body: unknown) =>
    service.answer({ method, path: `/api/accounting/${path}`, headers, body: JSON.stringify(body) });
  return { service, send };
}

test("its world is what the seed says, with the holder of the key in use", () => {
  const { service } = opened();
  const [root, gus, hana] = service.people;
  expect(
    [root, gus, hana].map((one) => [one?.email, one?.keys.map(({ kind, team, roles }) => [kind, team, roles])]),
  ).toEqual([
    ["root@acme.example", [["own", undefined, ["ACCOUNT_ADMIN"]]]],
    [
      "gus@acme.example",
      [
        ["own", undefined, ["TEAM_ROLE"]],
        ["team", "t-1", ["DEVELOPER"]],
      ],
    ],
    ["hana@acme.example", [["own", undefined, ["TEAM_ROLE"]]]],
  ]);
  expect(service.teams).toEqual([{ identifier: "t-1", name: "Ops", account: "acc-1", members: [gus?.identifier] }]);
  expect([service.key.startsWith(`${service.keyPrefix}.`), root?.keys[0]?.prefix]).toEqual([true, service.keyPrefix]);
});

test("its log tells of each write whether it took effect and how it was answered, and of no read", () => {
  const { service, send } = opened({ dropResponse: ["members@1"], flaky: ["create@2"] });
  const prefix = service.people[1]?.keys[1]?.prefix ?? "";
  send("POST", "users/search", { identifiers: ["gus@acme.example"] });
  const cy = { email: "cy@acme.example", firstName: "C", lastName: "D" };
  send("POST", "accounts/acc-1/users", cy);
  send("POST", "accounts/acc-1/users", { ...cy, email: "eve@acme.example" });
  send("POST", "accounts/acc-1/users", cy);
  send("POST", "teams/t-1/members", [{ identifier: "hana@acme.example" }]);
  send("PUT", `access-keys/${prefix}/roles`, [{ identifier: "TEAM_ROLE" }]);
  send("PUT", "access-keys/nothing/roles", []);
  expect(
    service.writes.map(({ path, tookEffect, answered }) => [path.split("/").at(-1), tookEffect, answered]),
  ).toEqual([
    ["users", true, 201],
    ["users", false, 503],
    ["users", false, 409],
    ["members", true, "lost"],
    ["roles", true, 200],
    ["roles", false, 404],
  ]);
  expect(service.writes[4]).toEqual({
    at,
    method: "PUT",
    path: `/api/accounting/access-keys/${prefix}/roles`,
    body: [{ identifier: "TEAM_ROLE" }],
    tookEffect: true,
    answered: 200,
  });
  expect(service.mails).toEqual([{ at, email: "hana@acme.example", team: "t-1" }]);
});
