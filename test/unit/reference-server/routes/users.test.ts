import { expect, test } from "vitest";
import { refusal, runningServer } from "../running-server.ts";

test("the accounts are listed with their status", async () => {
  const server = await runningServer({
    seed: {
      accounts: [
        { identifier: "acc-1", name: "Acme" },
        { identifier: "acc-2", status: "Inactive" },
      ],
    },
  });
  expect((await server.call("GET", "/api/accounting/accounts")).body).toEqual([
    { identifier: "acc-1", name: "Acme", status: "Active" },
    { identifier: "acc-2", name: "acc-2", status: "Inactive" },
  ]);
});

test("an account shows its users with their status", async () => {
  const server = await runningServer({
    seed: {
      accounts: [
        { identifier: "acc-1", name: "Acme" },
        { identifier: "acc-2", name: "Beta" },
      ],
      users: [
        { account: "acc-2", email: "bo@beta.example", firstName: "Bo", lastName: "B", status: "Invited" },
        { account: "acc-2", identifier: "u-cy", email: "Cy@beta.example", firstName: "Cy", lastName: "C" },
      ],
    },
  });
  expect((await server.call("GET", "/api/accounting/accounts/acc-2")).body).toEqual({
    identifier: "acc-2",
    name: "Beta",
    status: "Active",
    users: [
      { identifier: "u-1", email: "bo@beta.example", status: "Invited" },
      { identifier: "u-cy", email: "Cy@beta.example", status: "Active" },
    ],
  });
});

test.each(["acc-9", "ACC-1", "__proto__", ""])("there is no account %s", async (identifier) => {
  const server = await runningServer();
  const refused = await server.call("GET", `/api/accounting/accounts/${identifier}`);
  expect(refused.body).toEqual(refusal(404, "Not Found", `The account "${identifier}" was not found`, server));
});
