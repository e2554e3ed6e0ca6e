import { expect, test } from "vitest";
import { applyEvents } from "../../../../src/log/fold.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { defaultPrivilegedRoles } from "../../../../src/model/values.ts";
import { accessSeen } from "../../../../src/plan/drift/seen.ts";
import { aRoster } from "../../../support/roster-builders.ts";
import { brief, type Parts, partsOf, play } from "../../../support/scenes.ts";

const at = "2026-11-20T12:00:00.000Z";

function seenIn({ roster = aRoster({}), snapshot, state = emptyState("test") }: Parts, moving: readonly string[] = []) {
  return accessSeen({ roster, snapshot, state, privilegedRoles: defaultPrivilegedRoles, moving: new Set(moving), at });
}

function seenLines(parts: Parts, moving: readonly string[] = []): readonly string[] {
  const { keys = [], members = [], users = [] } = seenIn(parts, moving) ?? {};
  return [
    ...users,
    ...members.map(({ address, team }) => `${address} in ${team}`),
    ...keys.map(({ prefix, roles }) => `${prefix} ${roles.join("+")}`),
  ].map(brief);
}

play("a clean read makes known", seenLines)`
  users: {olga, pat}
  teams: {Pricing: {members: [olga], roles: [DEVELOPER, TEAM_ROLE]}, Free: {members: [pat]}}
  keys: {k-batch: {roles: [DEVELOPER]}}
a key that has the roles of the roster, and its member
  there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}}
  > olga in acc-1/pricing
  > k-olga-pricing DEVELOPER+TEAM_ROLE
a key whose roles the roster leaves alone
  there: {pat: {own: none, in: {Free: [AUDITOR]}}}
  > pat in acc-1/free
  > k-pat-free AUDITOR
a key that the roster lists
  there: {pat: {own: none, keys: {k-batch: {roles: [DEVELOPER]}}}}
  > k-batch DEVELOPER
no key with fewer roles than the roster gives
  there: {olga: {own: none, in: {Pricing: [TEAM_ROLE]}}}
  > olga in acc-1/pricing
no key with a privileged role that the roster does not give
  there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE, ACCOUNT_ADMIN]}}}
  > olga in acc-1/pricing
no key with a privileged role, though the roster leaves the key alone
  there: {pat: {own: none, in: {Free: [SYSTEM_OWNER]}}}
  > pat in acc-1/free
no key with roles that are not shown
  there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}}
  hides: [roles]
  > olga in acc-1/pricing
nothing of people and keys that the roster does not name
  there: {zed: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}, olga: {own: none, keys: {k-spare: {roles: [AUDITOR]}}}}
nothing of another user who has the address now
  there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}}
  state: {users: {olga: {identifier: u-former}}}
what equals the roster by now
  there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}}
  state: {members: {Pricing/olga: {how: seen, prefix: k-olga-pricing}}}
  seenKeys: {k-olga-pricing: {prefix: k-olga-pricing, address: olga@acme.example, roles: [TEAM_ROLE], at: RECORDED}}
  > k-olga-pricing DEVELOPER+TEAM_ROLE
nothing that differs from the roster and from what is known
  there: {olga: {own: none, in: {Pricing: [AUDITOR]}}}
  state: {members: {Pricing/olga: {how: seen, prefix: k-olga-pricing}}}
  seenKeys: {k-olga-pricing: {prefix: k-olga-pricing, address: olga@acme.example, roles: [TEAM_ROLE], at: RECORDED}}
no other roles of a key that the roster leaves alone
  there: {pat: {own: none, in: {Free: [DEVELOPER]}}}
  seenKeys: {k-pat-free: {prefix: k-pat-free, address: pat@acme.example, roles: [AUDITOR], at: RECORDED}}
  > pat in acc-1/free
`;

const common = `
there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}}
users: {olga}
teams: {Pricing: {members: [olga], roles: [DEVELOPER, TEAM_ROLE]}}
`;

test("a clean read makes known nothing of what a run works on", () => {
  const moving = ["key k-olga-pricing", "member olga@acme.example of team acc-1/pricing"];
  expect(seenLines(partsOf(common), moving)).toEqual([]);
});

test("what is known stays as a run wrote it while a read equals it, and is dated where a read first shows it", () => {
  const parts = partsOf(
    common,
    `
state:
  users: {olga: {createdAt: RECORDED}}
  members: {Pricing/olga: {prefix: k-olga-pricing}}
  keys: {k-olga-pricing: [DEVELOPER, TEAM_ROLE]}
`,
  );
  const first = seenIn(parts);
  const [address, prefix] = ["olga@acme.example", "k-olga-pricing"];
  expect(first).toEqual({
    type: "access-seen",
    at,
    service: "https://simulated.example",
    users: [address],
    members: [{ team: "acc-1/pricing", address, prefix }],
    keys: [{ prefix, address, roles: ["DEVELOPER", "TEAM_ROLE"] }],
  });
  const state = applyEvents(parts.state ?? emptyState("test"), first === undefined ? [] : [first]);
  expect(seenIn({ ...parts, state })).toBeUndefined();
});
