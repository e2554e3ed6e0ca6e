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
  expect(refused.body).toEqual(refusal(404, `The account "${identifier}" was not found`, server));
});

test.each(["S3", "S4", "S6"] as const)(
  "a search in the shape %s takes no page and no order that it cannot give",
  async (shape) => {
    const server = await runningServer({ knobs: { search: shape } });
    const search = async (query: string) => {
      const request = {
        method: "POST",
        headers: { authorization: `ApiKey ${server.key}`, "content-type": "application/json" },
        body: JSON.stringify({ identifiers: ["u-1", "u-2", "u-3"] }),
      };
      return (await fetch(`${server.endpoint}/api/accounting/users/search${query}`, request)).status;
    };
    const asked = [
      "",
      "?per-page=3",
      "?page=1&per-page=100",
      "?per-page=2",
      "?page=2",
      "?sort-by=email",
      "?direction=ASC",
    ];
    expect(await Promise.all(asked.map(search))).toEqual([200, 200, 200, 400, 400, 400, 400]);
  },
);

test.each(["S1", "S2", "S5", "S7"] as const)(
  "a search in the shape %s gives the page that is asked for",
  async (shape) => {
    for (const searchPages of ["whole", "paged", "first-ten"] as const) {
      const server = await runningServer({ knobs: { search: shape, searchPages } });
      for (const name of ["ada", "bo", "cy"])
        server.world.addUser({ email: `${name}@x.example`, firstName: "N", lastName: "X" });
      const identifiers = server.world.users.map(({ identifier }) => identifier);
      const found = await server.call("POST", "/api/accounting/users/search?page=2&per-page=2", { identifiers });
      expect(found.body).toMatchObject([{ email: "bo@x.example" }, { email: "cy@x.example" }]);
    }
  },
);
