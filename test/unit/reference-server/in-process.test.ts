import { expect, test } from "vitest";
import { type InProcessOptions, openInProcess } from "../../../src/reference-server/in-process.ts";
import { systemOwner } from "../../../src/reference-server/world.ts";

function opened(options: Partial<InProcessOptions> = {}) {
  return openInProcess({
    fill(world) {
      const account = world.addAccount("acc-1", "Acme", "Active");
      const ada = world.addUser({ account, email: "ada@acme.example", firstName: "Ada", lastName: "L" });
      world.addTeam({ account, identifier: "t-red", name: "Red", admin: ada });
      for (const identifier of ["TEAM_ROLE", systemOwner]) {
        world.roles.set(identifier, { identifier, name: identifier, description: "", type: "user" });
      }
      return world.addKey({ kind: "user", owner: ada, roles: [systemOwner], prefix: "root", secret: "s3cret" });
    },
    origin: "https://accounts.example",
    now: () => Date.UTC(2026, 10, 20),
    ...options,
  });
}

const json = { "content-type": "application/json" };

test("a request is answered by a call of a function, in the words of a served one", () => {
  const server = opened();
  const headers = { authorization: `ApiKey ${server.key}` };
  const answer = server.answer({ method: "GET", path: "/api/accounting/users?page=1&per-page=1", headers });
  if (answer === "lost") throw new Error("the answer was lost");
  expect([answer.status, [...answer.headers.keys()].sort()]).toEqual([
    200,
    ["content-length", "content-type", "date", "link"],
  ]);
  expect(answer.headers.get("link")).toContain("<https://accounts.example/api/accounting/users?page=1&per-page=1>");
  expect(JSON.parse(answer.body)).toMatchObject([{ email: "ada@acme.example" }]);
  expect(server.answer({ method: "GET", path: "/reference/outbox", headers })).toMatchObject({ status: 404 });
  expect(server.answer({ method: "GET", path: "/api/accounting/users", headers: {} })).toMatchObject({ status: 401 });
});

test("it keeps its mails, and what it is told to lose is lost", () => {
  const heard: string[] = [];
  const server = opened({ knobs: { dropResponse: ["members@2"] }, onRequest: (route) => heard.push(route) });
  const headers = { authorization: `ApiKey ${server.key}`, ...json };
  const add = (identifier: string) =>
    server.answer({
      method: "POST",
      path: "/api/accounting/teams/t-red/members",
      headers,
      body: JSON.stringify([{ identifier }]),
    });
  expect(add("ada@acme.example")).toMatchObject({ status: 200 });
  expect(add("ada@acme.example")).toBe("lost");
  expect(heard).toEqual(["members", "members"]);
  expect(server.outbox.map(({ team, address }) => [team, address])).toEqual([["t-red", "ada@acme.example"]]);
});

test("identifiers are of the kind that the knobs say", () => {
  const server = opened({ knobs: { identifiers: "numbers" } });
  const answer = server.answer({
    method: "POST",
    path: "/api/accounting/accounts/acc-1/users",
    headers: { authorization: `ApiKey ${server.key}`, ...json },
    body: JSON.stringify({ email: "bo@acme.example", firstName: "Bo", lastName: "D" }),
  });
  if (answer === "lost") throw new Error("the answer was lost");
  expect(JSON.parse(answer.body)).toMatchObject({ identifier: 10_002 });
});
