import { describe, expect, test } from "vitest";
import { clientOf, crowd, crowdHead, crowdLines, crowdOf } from "../../support/crowd.ts";
import { peopleRoster } from "../../support/trap-rosters.ts";
import { company, companyThere, creationsOf, scene, standing, writesOf } from "../../support/trap-scene.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };

describe.concurrent("traps of identity and search", () => {
  test.for(["lower", "preserve"] as const)(
    "16: an address is sent as written and compared folded, where the service keeps it (%s)",
    async (emailCase, { onTestFinished }) => {
      const roster = company.replaceAll("ada@acme.example", "Ada@Acme.Example");
      const at = await scene(onTestFinished, { knobs: { emailCase }, roster });
      const first = await at.apply();
      const after = await at.plan();
      const kept = emailCase === "lower" ? "ada@acme.example" : "Ada@Acme.Example";
      expect({
        codes: [first.code, after.code],
        planned: after.planned,
        people: standing(at.server).people,
      }).toEqual({
        codes: [0, 0],
        planned: [],
        people: [kept, "bo@acme.example"].sort(),
      });
    },
  );

  test("16: letters beyond ASCII are not folded, so that two people stay two", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {
      roster: peopleRoster("{ email: İrem@acme.example, firstName: A, lastName: B }"),
    });
    at.server.world.addUser({ email: "irem@acme.example", firstName: "Irem", lastName: "Kaya" });
    const { code, planned } = await at.plan();
    expect({ code, planned }).toEqual({ code: 2, planned: ["create-user:İrem@acme.example"] });
  });

  test("17: a plus, a domain in two spellings and a decomposed letter stay what they are", async ({
    onTestFinished,
  }) => {
    const decomposed = "jose\u0301@acme.example";
    const roster = peopleRoster(
      '{ email: "a+b@acme.example", firstName: A, lastName: B }',
      '{ email: "kim@bücher.example", firstName: Kim, lastName: Buch }',
      `{ email: "${decomposed}", firstName: Jose, lastName: Roe }`,
    );
    const at = await scene(onTestFinished, { roster });
    at.server.world.addUser({ email: "kim@xn--bcher-kva.example", firstName: "Kim", lastName: "Buch" });
    at.server.world.addUser({ email: "jos\u00e9@acme.example", firstName: "Jose", lastName: "Roe" });
    const { code, planned } = await at.drift();
    expect({ code, planned }).toEqual({
      code: 2,
      planned: ["create-user:a+b@acme.example", `create-user:${decomposed}`],
    });
    const first = await at.apply("--include", "user:a+b@acme.example");
    expect({ code: first.code, created: standing(at.server).people.includes("a+b@acme.example") }).toEqual({
      code: 0,
      created: true,
    });
  });

  test("18: a search that finds others too finds nobody but who was asked for", async ({ onTestFinished }) => {
    const roster = peopleRoster("{ email: ann@acme.example, firstName: Ann, lastName: Roe }");
    const at = await scene(onTestFinished, { knobs: { searchMatch: "fuzzy" }, roster });
    at.server.world.addUser({ email: "joann@acme.example", firstName: "Joann", lastName: "Roe" });
    const codes = [(await at.apply()).code, (await at.plan()).code];
    expect({ codes, people: standing(at.server).people }).toEqual({
      codes: [0, 0],
      people: ["ann@acme.example", "joann@acme.example"],
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

  test.for(["S3", "S5"] as const)(
    "19: whoever is not found (%s) is created, and found from then on",
    async (search, { onTestFinished }) => {
      const at = await scene(onTestFinished, { knobs: { search } });
      const codes = [(await at.apply()).code, (await at.plan()).code];
      expect({ codes, ...standing(at.server) }).toEqual({ codes: [0, 0], ...companyThere });
    },
  );

  test.for([
    [{ flaky: ["search@all"], flakyStatus: "500", retryAfter: "none" }, 1],
    [{ html200: ["search@all"] }, 1],
    [{ search: "S2", envelope: "unknown" }, 1],
    [{ errorStatus: "200", error: "X10", flaky: ["search@all"], flakyStatus: "400" }, 1],
  ] as const)("19: a search that fails (%o) says nothing of anybody", async ([knobs, code], { onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs });
    expect({ code: (await at.apply()).code, writes: writesOf(at.server) }).toEqual({ code, writes: [] });
  });

  test("20: a new user is not found for 3 s, and neither run creates them again", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {
      knobs: { searchLagMs: 3000, listLagMs: 3000, detailLagMs: 3000 },
      time: "virtual",
    });
    const codes = [(await at.apply()).code, (await at.apply()).code, (await at.plan()).code];
    expect({ codes, creations: creationsOf(at.server), ...standing(at.server) }).toEqual({
      codes: [0, 0, 0],
      creations: 2,
      ...companyThere,
    });
  });

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

  test.for([
    ["409", "A deleted user may block the address"],
    ["400", "is there already"],
  ] as const)(
    "22: a deleted user who is not shown blocks the address (%s), which is told, and not tried again",
    async ([conflict, says], { onTestFinished }) => {
      const roster = peopleRoster("{ email: ada@acme.example, firstName: Ada, lastName: Lovelace }");
      const at = await scene(onTestFinished, {
        knobs: { deleted: "hidden-but-blocks", conflict },
        roster,
        time: "virtual",
      });
      at.server.world.addUser(ada);
      at.server.world.setUserStatus(ada.email, "Deleted");
      const first = await at.apply();
      const second = await at.apply();
      expect({
        codes: [first.code, second.code],
        says: first.output.stdout.includes(says),
        told: second.findings,
        creations: creationsOf(at.server),
        people: standing(at.server).people,
      }).toEqual({
        codes: [7, 9],
        says: true,
        told: ["!refused user ada@acme.example"],
        creations: 1,
        people: [ada.email],
      });
    },
  );

  test("22: a deleted user who is shown is a finding, and nothing is tried", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {
      roster: peopleRoster("{ email: ada@acme.example, firstName: Ada, lastName: Lovelace }"),
    });
    at.server.world.addUser(ada);
    at.server.world.setUserStatus(ada.email, "Deleted");
    const { code, findings } = await at.apply();
    expect({ code, findings, writes: writesOf(at.server) }).toEqual({
      code: 9,
      findings: ["!inactive-user user ada@acme.example"],
      writes: [],
    });
  });

  test.for(["capitalised", "lower", "upper"] as const)(
    "23: whoever is not active (%s) is there all the same",
    async (statusCase, { onTestFinished }) => {
      const statuses = ["Active", "Invited", "Rejected", "Inactive", "Hibernating"];
      const users = statuses.map((status) => ({
        email: `${status.toLowerCase()}@acme.example`,
        firstName: "A",
        lastName: "B",
        status,
      }));
      const lines = users.map(({ email }) => `{ email: ${email}, firstName: A, lastName: B }`);
      const at = await scene(onTestFinished, {
        knobs: { statusCase },
        seed: { users },
        roster: peopleRoster(...lines),
      });
      const { code, planned, findings } = await at.apply();
      expect({ code, planned, findings, writes: writesOf(at.server) }).toEqual({
        code: 9,
        planned: [],
        findings: [
          "!inactive-user user inactive@acme.example",
          "invitation-pending user invited@acme.example",
          "!inactive-user user rejected@acme.example",
        ],
        writes: [],
      });
      const list = await clientOf(at.server, onTestFinished).listUsers();
      const words = list.ok ? list.value.users.map(({ status }) => status?.toLowerCase()) : [];
      expect(words).toContain("hibernating");
    },
  );
});
