import fc from "fast-check";
import { expect, test } from "vitest";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { alwaysAsync } from "../support/always.ts";
import { runs } from "../support/property-runs.ts";

const people = ["ada", "bo", "cy", "dee"].map((name) => `${name}@acme.example`);
const address = fc.constantFrom(...people);
const roles = fc.constantFrom<readonly string[]>([], ["DEVELOPER"], ["AUDITOR", "TEAM_ROLE"], ["TEAM_ROLE"]);
const seed: Seed = {
  users: people.slice(0, 3).map((email) => ({ email, firstName: "Pat", lastName: "Müller", status: "Invited" })),
  teams: [{ identifier: "t-air", name: "Air", admin: "ada@acme.example", members: ["ada@acme.example"].map(memberOf) }],
};

function memberOf(user: string) {
  return { user, prefix: "air1" };
}

/** What changes the service, by its routes or by its back door, and what changes how it answers. */
const step = fc.oneof(
  fc.record({ is: fc.constant("create" as const), email: address, foundsTeam: fc.boolean() }),
  fc.record({ is: fc.constant("add-members" as const), email: address }),
  fc.record({ is: fc.constant("replace-roles" as const), at: fc.nat(5), roles }),
  fc.record({ is: fc.constant("accept" as const), at: fc.nat(3) }),
  fc.record({ is: fc.constant("wait" as const), ms: fc.constantFrom(500, 1000) }),
  fc.record({ is: fc.constant("knobs" as const), knobs: fc.constantFrom<Partial<Knobs>>(...knobSteps()) }),
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant("elsewhere" as const),
      what: fc.nat(10),
      email: address,
      at: fc.nat(5),
      roles,
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function knobSteps(): readonly Partial<Knobs>[] {
  return [
    { statusCase: "upper" },
    { statusCase: "capitalised" },
    { showTitles: "no", times: "z", oddities: "extra-fields" },
    { showTitles: "yes", times: "hidden", oddities: "missing-keys" },
    { showKeys: "none" },
    { showKeys: "accessKeys", showTeams: "flat" },
    { listLagMs: 1000 },
    { listLagMs: 1000, shownKeyLagMs: 0 },
    { searchLagMs: 1000 },
    { shownKeyLagMs: 1000 },
    { listLagMs: 0, searchLagMs: 0, shownKeyLagMs: 0 },
    { repeatedRows: 1, repeatedAs: "upper-case" },
    { repeatedRows: 0 },
    { readd: "remove" },
  ];
}

async function ask(server: ReferenceServer, method: string, path: string, body?: unknown): Promise<string> {
  const headers = { authorization: `ApiKey ${server.key}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(server.endpoint + path, { method, headers, ...sent });
  return `${answer.status} ${(await answer.text()).replaceAll(server.endpoint, "")}`;
}

async function take(server: ReferenceServer, drawn: Step): Promise<string | undefined> {
  const keys = server.world.users.flatMap((user) => user.accessKeys);
  switch (drawn.is) {
    case "create": {
      const team = drawn.foundsTeam ? { team: { name: "Ünited", accessKeyRoles: ["DEVELOPER"] } } : {};
      const user = { email: drawn.email, firstName: "Pat", lastName: "Müller", title: "Principal", ...team };
      return ask(server, "POST", "/api/accounting/accounts/acc-1/users", user);
    }
    case "add-members":
      return ask(server, "POST", "/api/accounting/teams/t-air/members", [{ identifier: drawn.email }]);
    case "replace-roles": {
      const wished = drawn.roles.map((identifier) => ({ identifier }));
      return ask(server, "PUT", `/api/accounting/access-keys/${keys[drawn.at]?.prefix ?? "none"}/roles`, wished);
    }
    case "accept": {
      const link = server.outbox[drawn.at]?.link;
      return link === undefined ? undefined : ask(server, "GET", new URL(link).pathname);
    }
    case "wait":
      return undefined;
    case "knobs":
      server.setKnobs(drawn.knobs);
      return undefined;
    case "elsewhere":
      return failureOf(() => meddle(server, drawn, keys[drawn.at]?.prefix ?? "none"));
  }
}

/** What other people do to the service meanwhile. */
function meddle({ world }: ReferenceServer, drawn: Extract<Step, { is: "elsewhere" }>, prefix: string): void {
  const { what, email, at, roles: wished } = drawn;
  const deeds = [
    () => world.addUser({ email, firstName: "Pat", lastName: "Diaz" }),
    () => world.addMember("t-air", email),
    () => world.addProjectKey(email, wished),
    () => world.removeMember("t-air", email),
    () => world.removeUser(email),
    () => world.removeKey(prefix),
    () => world.setKeyRoles(prefix, wished),
    () => world.setKeyStatus(prefix, at % 2 === 0 ? "Inactive" : "Active"),
    () => world.setUserStatus(email, at % 2 === 0 ? "Inactive" : "Active"),
    () => world.changeEmail(email, people[at % people.length] ?? email),
    () => (at % 2 === 0 ? world.renameTeam("t-air", `Air ${at}`) : world.changeProfile(email, { title: `T${at}` })),
  ];
  deeds[what]?.();
}

function failureOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** What lists and searches answer, row by row: bare, or in the field in which an envelope has them. */
async function rowsOf(server: ReferenceServer, envelope: "bare" | "items"): Promise<readonly string[]> {
  const text = (answer: string): string => {
    const [status, ...rest] = answer.split(" ");
    const body = rest.join(" ");
    if (status !== "200" || envelope === "bare") return answer;
    return `200 ${JSON.stringify((JSON.parse(body) as { readonly items: unknown }).items)}`;
  };
  return [
    text(await ask(server, "GET", "/api/accounting/users?per-page=3&page=1")),
    text(await ask(server, "GET", "/api/accounting/users?per-page=2&page=2&sort-by=email&direction=DESC")),
    text(await ask(server, "POST", "/api/accounting/users/search", { identifiers: people })),
  ];
}

test("a bare list or search shows the users as an envelope shows them, which is rendered anew each time, whatever changed before", async () => {
  await alwaysAsync(
    { seed: 20261123, numRuns: runs(600, 60) },
    fc.array(step, { minLength: 10, maxLength: 20 }),
    async (steps) => {
      const clock = { ms: Date.UTC(2026, 10, 20) };
      const options = { port: 0, seed, now: () => clock.ms };
      const bare = await startReferenceServer(options);
      const anew = await startReferenceServer({ ...options, knobs: { envelope: "L5", search: "S2" } });
      try {
        for (const drawn of steps) {
          if (drawn.is === "wait") clock.ms += drawn.ms;
          expect(await take(bare, drawn)).toEqual(await take(anew, drawn));
          expect(await rowsOf(bare, "bare")).toEqual(await rowsOf(anew, "items"));
        }
      } finally {
        await bare.close();
        await anew.close();
      }
    },
  );
});
