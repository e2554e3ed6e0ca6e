import type { Seed } from "../../src/reference-server/seed.ts";
import { picker, type Situation, worldOf } from "../support/random-situations.ts";

/** What the service has and the roster says, and what the roster says later. */
export interface SituationDraw {
  readonly situation: Situation;
  readonly later: Situation;
  readonly seed: number;
}

export function situationSeed(situation: Situation): Seed {
  const { accounts, users, teams, roles } = worldOf(situation);
  const keys = users.flatMap(({ identifier: owner, keys: held }) => held.map((key) => ({ ...key, owner })));
  return {
    accounts: [...accounts.values()],
    roles: roles.map((identifier) => ({ identifier })),
    users,
    teams: [...teams.values()].map((team) => ({
      ...team,
      members: keys.filter((key) => key.team === team.identifier).map(({ owner, ...key }) => ({ ...key, user: owner })),
    })),
    keys: keys.flatMap(({ kind, ...key }) => (kind === "team" ? [] : [{ ...key, kind }])),
  };
}

/**
 * A situation's roster as its two files say it, one for each account. `seed` draws what a situation does not: groups, role sets, dates,
 * leavers, former addresses, what becomes of a member too many.
 */
export function situationFiles({ people, teams }: Situation, seed: number): Readonly<Record<string, string>> {
  const pick = picker(seed + 1);
  const drawn = <T>(one: number, value: T) => (pick(one) === 0 ? value : undefined);
  const emailOf = (index: number | undefined) => (index === undefined ? undefined : `p${index}@acme.example`);
  const users = people.map(({ ownKeyRoles }, index) => ({
    email: emailOf(index),
    firstName: `P${index}`,
    lastName: "Test",
    ownKeyRoles,
    previously: drawn(8, [`old${index}@acme.example`]),
    until: drawn(12, drawn(2, "2026-11-01") ?? "2027-01-31"),
  }));
  const leaves = people.map(({ wanted, there }) => !wanted && there && pick(2) === 0);
  const groups: Record<string, readonly unknown[]> = {};
  const entries = teams.map(({ members, secondAccount, open, ...team }, index) => {
    const wanted = members.filter((member) => people[member]?.wanted === true);
    const own = wanted.filter((member) => people[member]?.secondAccount === secondAccount);
    const [first, ...others] = wanted.map(emailOf);
    const group = drawn(3, others.length > 0 ? `group-${index}` : undefined);
    if (group !== undefined) groups[group] = others;
    return {
      name: `Team ${index}`,
      open: open || undefined,
      onRemoval: open ? undefined : drawn(4, "revoke"),
      admin: team.admin === undefined ? undefined : emailOf(own[team.admin]),
      firstMember: team.firstMember === undefined ? undefined : emailOf(own[team.firstMember]),
      roles: team.roles === undefined ? undefined : (drawn(3, [{ set: "usual" }, ...team.roles]) ?? team.roles),
      members: [
        { user: first, roles: team.firstMemberRoles },
        ...(group === undefined ? others.map((user) => ({ user, until: drawn(12, "2026-11-01") })) : [{ group }]),
      ],
    };
  });
  const keys = people.flatMap(({ wanted, there, projectKey }, index) =>
    wanted && there && projectKey !== undefined
      ? [{ prefix: `project${index}`, owner: emailOf(index), roles: projectKey.wants }]
      : [],
  );
  const file = (account: string, isSecond: boolean, more: object) => {
    const isOf = (index: number) => people[index]?.secondAccount === isSecond;
    const sections = {
      users: users.filter((_, index) => isOf(index) && people[index]?.wanted),
      leavers: leaves.flatMap((is, index) =>
        is && isOf(index) ? [{ email: emailOf(index), since: "2026-11-01" }] : [],
      ),
      teams: entries.filter(({ members: [one] }, index) => one?.user && teams[index]?.secondAccount === isSecond),
    };
    // JSON is YAML, and leaves out what is undefined.
    return `${JSON.stringify({ version: 1, account, ...sections, ...more }, undefined, 1)}\n`;
  };
  return {
    "first.yaml": file("acc-1", false, { roleSets: { usual: ["DEVELOPER"] }, groups, keys }),
    "second.yaml": file("acc-2", true, {}),
  };
}
