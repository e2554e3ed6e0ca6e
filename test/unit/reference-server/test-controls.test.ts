import { expect, test } from "vitest";
import { runningServer } from "./running-server.ts";

const person = (name: string) => ({ email: `${name}@acme.example`, firstName: name, lastName: "X" });

test("what other people do meanwhile is what the service then shows", async () => {
  const server = await runningServer();
  const { world } = server;
  world.addAccount({ identifier: "acc-2", name: "Beta" });
  world.addUser(person("ada"));
  world.addUser({ ...person("bo"), account: "acc-2" });
  world.addUser(person("cy"));
  const team = world.addTeam({
    name: "Data",
    admin: "ada@acme.example",
    members: ["ada@acme.example", "cy@acme.example"],
  });
  const joined = world.addMember("Data", "bo@acme.example");
  const project = world.addProjectKey("ada@acme.example", ["DEVELOPER"]);
  world.setKeyRoles(joined, ["DEVELOPER", "DEVELOPER"]);
  world.setKeyStatus(project, "Inactive");
  world.setUserStatus("bo@acme.example", "Inactive");
  world.setAccountStatus("acc-2", "Inactive");
  world.changeEmail("ada@acme.example", "ada@new.example");
  world.changeProfile("ada@new.example", { title: "Countess" });
  world.renameTeam(team, "Science");
  world.removeMember("Science", "ada@new.example");
  world.removeUser("cy@acme.example");
  const listed = await server.call("GET", "/api/accounting/users");
  const teamReference = { identifier: team, name: "Science" };
  expect(listed.body).toEqual([
    expect.objectContaining({ email: "root@reference.example" }),
    expect.objectContaining({
      email: "ada@new.example",
      title: "Countess",
      accessKeys: [
        expect.objectContaining({ kind: "user" }),
        expect.objectContaining({
          prefix: project,
          kind: "project",
          status: "Inactive",
          roles: [{ identifier: "DEVELOPER" }],
        }),
      ],
    }),
    expect.objectContaining({
      email: "bo@acme.example",
      status: "Inactive",
      accessKeys: [
        expect.objectContaining({ kind: "user" }),
        expect.objectContaining({ prefix: joined, team: teamReference, roles: [{ identifier: "DEVELOPER" }] }),
      ],
    }),
  ]);
  expect(world.users).toEqual(listed.body);
  expect(world.teams).toEqual([
    { ...teamReference, account: "acc-1", admin: "ada@new.example", members: ["bo@acme.example"] },
  ]);
  const search = await server.call("POST", "/api/accounting/users/search", {
    identifiers: ["ada@acme.example", "cy@acme.example", "ada@new.example"],
  });
  expect(search.body).toMatchObject([{ email: "ada@new.example" }]);
  expect((await server.call("GET", "/api/accounting/accounts/acc-2")).body).toMatchObject({ status: "Inactive" });
  world.removeKey(project);
  expect((await server.call("PUT", `/api/accounting/access-keys/${project}/roles`, [])).status).toBe(404);
  expect(server.outbox).toEqual([]);
});
