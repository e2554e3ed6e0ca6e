import { describe, expect, test } from "vitest";
import { groupBy } from "../../../src/model/collections.ts";
import { secondStage } from "../../support/drawn/second-stage.ts";
import { everyWay, type SecondWays } from "../../support/drawn/second-ways.ts";

const cy = {
  firstName: " Cy ",
  lastName: "Young",
  email: "Cy@acme.example",
  title: "Pitcher",
  externalIdentifier: "7",
};
const newTeam = { name: "New", accessKeyRoles: ["DEVELOPER"] };
const role = (...names: readonly string[]) => names.map((identifier) => ({ identifier }));

/** Every tenth draw is small. */
function cycle(): () => number {
  let drawn = 0;
  return () => {
    drawn += 1;
    return (drawn % 10) / 10;
  };
}

/** What a client could ever see of the service, and what its log says: every route, right and wrong calls, early and late. */
function transcript(ways: Partial<SecondWays>): string {
  const { call, service, wait } = secondStage(ways, ways.disturbedReads === undefined ? undefined : cycle());
  const seen: unknown[] = [];
  const ask = (method: string, path: string, body?: unknown) => {
    const answer = call(method, path, body);
    seen.push([method, path, answer]);
    return answer;
  };
  const create = (name: string, rest: object = {}) =>
    ask("POST", "accounts/acc-1/users", { ...cy, email: `${name}@acme.example`, ...rest });
  const search = (...identifiers: readonly string[]) => ask("POST", "users/search", { identifiers });
  const read = () => {
    for (const query of ["", "?page=1&per-page=2", "?page=2&per-page=2"]) ask("GET", `users${query}`);
    search("bo@acme.example", "ADA@acme.example", "no@acme.example", "cy@acme.example");
    ask("GET", "accounts/acc-1");
  };
  for (const path of ["users", "accounts", "roles"])
    seen.push(service.answer({ method: "GET", path: `/api/accounting/${path}`, headers: {} }));
  for (const path of ["accounts", "accounts?page=2&per-page=1", "roles"]) ask("GET", path);
  for (const query of ["page=0&per-page=2", "page=9&per-page=2", "page=1&per-page=51", "page=1&per-page=11"])
    ask("GET", `users?${query}`);
  for (const query of ["sort-by=shoeSize", "sort-by=email"]) ask("GET", `users?${query}`);
  read();
  create("Cy");
  create("di", { team: newTeam });
  create("eve", { team: { ...newTeam, name: "Other", adminUserIdentifier: "u-2" } });
  create("fay", { team: { ...newTeam, name: "Third", adminUserIdentifier: "ada@acme.example" } });
  create("gus");
  create("ADA");
  create("hal", { team: newTeam, firstName: "" });
  read();
  const [, ada, bo] = service.people.map(({ identifier }) => identifier);
  const members = [[bo], [ada, bo], [bo, "u-99"], ["bo@acme.example"], [service.people[3]?.identifier]];
  for (const named of members)
    ask(
      "POST",
      "teams/t-2/members",
      named.map((identifier) => ({ identifier })),
    );
  const keys = service.people.slice(1).flatMap((person) => person.keys);
  for (const { prefix } of keys) {
    ask("PUT", `access-keys/${encodeURIComponent(prefix)}/roles`, role("AUDITOR"));
    ask("PUT", `access-keys/${encodeURIComponent(prefix)}/roles`, role("AUDITOR", "TEAM_ROLE"));
  }
  ask("PUT", "access-keys/none/roles", role("AUDITOR"));
  for (const seconds of [2, 10, 30, 300, 1800]) {
    wait(seconds * 1000);
    read();
    for (const name of ["no", "bo"]) search(`${name}@acme.example`);
    search("da@acme.example", "u-2");
    search(...service.people.map(({ email }) => email), "1", "2", "3");
    create(`later-${seconds}`);
    ask("GET", "users?page=1&per-page=100");
  }
  return JSON.stringify([seen, service.people, service.teams, service.mails, service.writes]);
}

/** Ways that show only beside another one. */
const beside: Readonly<Record<string, Partial<SecondWays>>> = {
  flatPrefixField: { creationShape: "flat" },
  failureStatus: { failedAfterEffect: 1 },
  otherKey: { otherKeyShown: "first-addition" },
  throttledWrites: { throttled: "429" },
  retryAfter: { throttled: "429" },
  refusedBatch: { additionShape: "outcomes" },
  keysInAdditions: { keysLag: 30_000 },
};

/** Nobody of the stage is protected. */
const values = groupBy(
  everyWay.filter(({ value }) => value !== "protected"),
  ({ way }) => way,
);

describe("a client can tell each value of a way from every other", () => {
  test.each([...values.keys()])("%s", (way) => {
    const transcripts = (values.get(way) ?? []).map(({ value }) => transcript({ ...beside[way], [way]: value }));
    expect(new Set(transcripts).size).toBe(transcripts.length);
  });

  test("and the same service is the same twice", () => {
    expect(transcript({})).toBe(transcript({}));
  });
});
