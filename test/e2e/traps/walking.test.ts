import { describe, expect, test } from "vitest";
import {
  clientOf,
  crowd,
  crowded,
  crowdHead,
  crowdLines,
  crowdOf,
  everyone,
  growingRoster,
  listThrough,
  nth,
  small,
} from "../../support/crowd.ts";
import { creationsOf, scene, standing, writesOf } from "../../support/trap-scene.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };

describe.concurrent("traps of walking a list", () => {
  test("9: people of one name stand in another order at each request", async ({ onTestFinished }) => {
    const { client } = await crowded(onTestFinished, 200, { maxPerPage: 50, order: "shuffle-ties" });
    expect(await everyone(client)).toEqual(crowdOf(200));
    const unsortable = { maxPerPage: 50, order: "shuffle", total: "header" } as const;
    const shuffled = await crowded(onTestFinished, 200, unsortable);
    expect(await everyone(shuffled.client)).toMatch(/^incomplete: /u);
    const people = crowdHead + crowdLines(1, 199);
    const at = await scene(onTestFinished, { knobs: unsortable, seed: crowd(200), roster: people });
    const { planned } = await at.apply();
    expect({ planned, writes: writesOf(at.server) }).toEqual({ planned: [], writes: [] });
  });

  test.for([
    ["header", 0, [], [`Red: new@acme.example, ${nth(10)}`]],
    ["none", 9, ["!incomplete-read user new@acme.example", "!incomplete-read team acc-1/red"], [`Red: ${nth(10)}`]],
  ] as const)(
    "10: somebody goes while pages are read (total: %s), and whom that hides from a page is not taken for absent",
    async ([total, code, findings, teams], { onTestFinished }) => {
      const roster = `${crowdHead}${crowdLines(2, 5)}  - { email: new@acme.example, firstName: New, lastName: One }
teams:
  - { name: Red, admin: new@acme.example, open: true, members: [{ user: new@acme.example }] }
`;
      const at = await scene(onTestFinished, {
        knobs: { ...small, total },
        seed: crowd(45, [{ name: "Red", admin: nth(10), members: [{ user: nth(10) }] }]),
        roster,
        meanwhile: (route, number, { world }) => {
          if (route === "list" && number === 3) world.removeUser(nth(1));
        },
      });
      const report = await at.apply();
      const there = standing(at.server).teams;
      expect({ code: report.code, findings: report.findings, there }).toEqual({ code, findings, there: teams });
    },
  );

  test("10: somebody comes while pages are read, and everybody is read once", async ({ onTestFinished }) => {
    const newcomer = { email: "first@acme.example", firstName: "F", lastName: "F" };
    const at = await scene(onTestFinished, {
      knobs: small,
      seed: crowd(45),
      roster: crowdHead + crowdLines(1, 44),
      meanwhile: (route, number, { world }) => {
        if (route === "list" && number === 3) world.addUser(newcomer);
      },
    });
    const { planned, findings } = await at.drift();
    expect({ planned, findings: findings.filter((line) => !line.startsWith("unmanaged")) }).toEqual({
      planned: [],
      findings: [],
    });
  });

  test("11: a page in the middle is empty, and the list goes on", async ({ onTestFinished }) => {
    const inHeader = await listThrough(onTestFinished, 35, { ...small, emptyPage: 2, total: "header" });
    expect(inHeader.everyone).toEqual(crowdOf(35));
    const inBody = await listThrough(onTestFinished, 35, { ...small, emptyPage: 2, envelope: "L5" });
    expect(inBody.everyone).toEqual(crowdOf(35));
  });

  test.for([{ envelope: "unknown" }, { ...small, laterEnvelope: "unknown" }] as const)(
    "12: an envelope that nobody knows is an error, and not zero users",
    async (knobs, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs, seed: crowd(25), roster: growingRoster });
      const { code, error, output } = await at.apply();
      expect({ code, error, says: output.stdout.includes("payload"), writes: writesOf(at.server) }).toEqual({
        code: 1,
        error: "misunderstood",
        says: true,
        writes: [],
      });
    },
  );

  test("12: another known envelope in the middle of a walk is read as well", async ({ onTestFinished }) => {
    const { client } = await crowded(onTestFinished, 25, { ...small, laterEnvelope: "L5" });
    expect(await everyone(client)).toEqual(crowdOf(25));
  });

  test.for(["404", "400", "last-again", "empty"] as const)(
    "13: past the end (%s) is a clean stop",
    async (pastEnd, { onTestFinished }) => {
      const listed = await listThrough(onTestFinished, 25, { ...small, pastEnd });
      expect(listed).toEqual({ everyone: crowdOf(25), pages: ["0", "1", "2", "3", "4"] });
    },
  );

  test("14: the key sees three of fifty, and a search finds whom the list lacks", async ({ onTestFinished }) => {
    const team = {
      name: "Blue",
      admin: nth(1),
      members: ["chief@acme.example", nth(1), nth(2)].map((user) => ({ user })),
    };
    const roster = `${crowdHead}${crowdLines(3, 4)}  - { email: new@acme.example, firstName: New, lastName: One }
teams:
  - { name: Red, admin: new@acme.example, members: [{ user: new@acme.example }, { user: ${nth(3)} }] }
`;
    const knobs = { credentialScope: "team", accountDetails: "no-users" } as const;
    const at = await scene(onTestFinished, { knobs, seed: crowd(50, [team]), roster });
    const { code, planned, everyone: read } = await at.apply();
    expect({ code, planned, writes: writesOf(at.server), read }).toEqual({
      code: 9,
      planned: [],
      writes: [],
      read: { read: "incomplete", why: `a search found ${nth(3)}, but the list does not have this user` },
    });
  });

  test("15: one user on two pages under an address in another letter case is one user", async ({ onTestFinished }) => {
    const knobs = { ...small, repeatedRows: 2, repeatedAs: "upper-case" } as const;
    const { client } = await crowded(onTestFinished, 25, knobs);
    const list = await client.listUsers();
    const addresses: readonly string[] = list.ok ? list.value.users.map(({ address }) => address).sort() : [];
    expect(addresses).toEqual(crowdOf(25));
  });

  test("15: two users whose addresses differ in letter case alone are told, and not merged", async ({
    onTestFinished,
  }) => {
    const at = await scene(onTestFinished, { knobs: { match: "exact" } });
    for (const name of ["one", "two"]) {
      at.server.world.addUser({ email: `${name}@acme.example`, firstName: "Ada", lastName: "Lovelace" });
    }
    at.server.world.changeEmail("one@acme.example", "ada@acme.example");
    at.server.world.changeEmail("two@acme.example", "ADA@acme.example");
    const { code, planned, findings } = await at.drift();
    expect({ code, planned, told: findings.filter((line) => line.includes("ada@")) }).toEqual({
      code: 9,
      planned: [],
      told: ["!ambiguous-user user ada@acme.example"],
    });
  });

  test.for(["S1", "S2", "S3", "S4", "S5", "S6", "S7"] as const)(
    "19: nobody found is told in this service's way (%s), and is nobody",
    async (search, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { search } });
      at.server.world.addUser(ada);
      at.server.world.addUser({ ...ada, email: "bo@acme.example" });
      const client = clientOf(at.server, onTestFinished);
      const found = async (...asked: readonly string[]) => {
        const users = await client.searchUsers(asked, "search");
        return users.ok ? users.value.map(({ email }) => email).sort() : users.error;
      };
      const answers = [
        await found("no@acme.example", "nobody@acme.example"),
        await found("no@acme.example", "ada@acme.example"),
        await found("ada@acme.example", "bo@acme.example", "no@acme.example"),
      ];
      expect(answers).toEqual([[], ["ada@acme.example"], ["ada@acme.example", "bo@acme.example"]]);
    },
  );

  test.for(["drop", "reject"] as const)(
    "21: a search looks at ten texts and no more (%s)",
    async (searchOverMax, { onTestFinished }) => {
      const roster = crowdHead + crowdLines(1, 40);
      const at = await scene(onTestFinished, {
        knobs: { searchMaxIdentifiers: 10, searchOverMax },
        seed: crowd(39),
        roster,
      });
      const first = await at.apply();
      expect({
        code: first.code,
        creations: creationsOf(at.server),
        people: at.server.world.users.map(({ email }) => email),
      }).toEqual({
        code: 0,
        creations: 2,
        people: crowdOf(41),
      });
    },
  );

  test.for(["capitalised", "lower", "upper"] as const)(
    "23: a status that nobody knows is read as it is (%s)",
    async (statusCase, { onTestFinished }) => {
      const users = [{ email: nth(1), firstName: "A", lastName: "B", status: "Hibernating" }];
      const { client } = await crowded(onTestFinished, 1, { statusCase }, { users });
      const list = await client.listUsers();
      const words = list.ok ? list.value.users.map(({ status }) => status?.toLowerCase()) : [];
      expect(words).toContain("hibernating");
    },
  );
});
