import { expect, test } from "vitest";
import { applyEvents } from "../../../../src/log/fold.ts";
import type { OutsideChange } from "../../../../src/model/finding.ts";
import { privilegesGained } from "../../../../src/model/plan.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { defaultPrivilegedRoles } from "../../../../src/model/values.ts";
import { accessSeen } from "../../../../src/plan/drift/access-seen.ts";
import { type InputParts, plannedDrift } from "../../../support/plan-inputs.ts";
import { aRoster } from "../../../support/roster-builders.ts";
import { brief, type Parts, partsOf, play } from "../../../support/scenes.ts";

function changeText({ is, person, team, key, to, gained, lost, privileged }: OutsideChange): string {
  const about = [
    person?.email,
    team && `in ${team}`,
    key && `${key.isOwn ? "own key" : "key"} ${key.prefix}`,
    to && `to ${to}`,
  ];
  const roles = [...gained.map((role) => `+${role}`), ...lost.map((role) => `-${role}`)];
  const told = privileged.length === 0 ? [] : [`privileged: ${privileged.join()}`];
  return [is, ...about.filter((part) => part !== undefined), ...roles, ...told].join(" ");
}

/** Of each item what was changed outside roster, its class, and the privileged roles that somebody gains by it. */
function outsideLines(parts: InputParts): readonly string[] {
  const { items } = plannedDrift(parts).drift;
  return items.flatMap((item) => {
    const { class: of, counts, outside = of === "tampered" ? undefined : [] } = item;
    if (outside === undefined) return [`${item.code} without a change`];
    const gains = privilegesGained(item);
    const gain = gains.length === 0 ? "" : `, gaining ${gains.join()}${counts === "nothing" ? " (no matter)" : ""}`;
    return outside.map((change) => brief(`${of}${gain}: ${changeText(change)}`));
  });
}

/** Olga created Pricing, and an apply gave her key its roles. */
play("what was changed outside roster:", outsideLines)`
  there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}}
  users: {olga}
  teams: {Pricing: {members: [olga], roles: [DEVELOPER, TEAM_ROLE]}}
  reportUnmanaged: true
  state:
    users: {olga: {identifier: u-olga, createdAt: RECORDED, key: k-olga-pricing, createdTeam: acc-1/pricing}}
    teams: {Pricing: {identifier: t-pricing, firstMember: olga@acme.example}}
    members: {Pricing/olga: {how: created, prefix: k-olga-pricing}}
    keys: {k-olga-pricing: {setRoles: [DEVELOPER, TEAM_ROLE], observedRoles: [DEVELOPER, TEAM_ROLE]}}
a privileged role was given to a key
  there: {olga: {in: {Pricing: [ACCOUNT_ADMIN, DEVELOPER, TEAM_ROLE]}}}
  > tampered, gaining ACCOUNT_ADMIN: roles-changed olga in Pricing key k-olga-pricing +ACCOUNT_ADMIN privileged: ACCOUNT_ADMIN
a privileged role was given to a key that the roster leaves alone
  there: {pat: {own: [ACCOUNT_ADMIN, TEAM_ROLE]}}
  users: {pat}
  state: {users: {pat: {createdAt: RECORDED, key: k-pat}}}
  > tampered, gaining ACCOUNT_ADMIN: roles-changed pat own key k-pat +ACCOUNT_ADMIN privileged: ACCOUNT_ADMIN
a role was taken from a key
  there: {olga: {in: {Pricing: [TEAM_ROLE]}}}
  > tampered: roles-changed olga in Pricing key k-olga-pricing -DEVELOPER
a member was removed
  there: {olga: {in: gone}}
  > tampered: member-removed olga in Pricing key k-olga-pricing -DEVELOPER -TEAM_ROLE
a member was added
  there: {zed: {own: none, in: {Pricing: [AUDITOR]}}}
  > tampered: member-added zed in Pricing key k-zed-pricing +AUDITOR
a user was removed
  there: {olga: gone}
  > tampered: user-removed olga -DEVELOPER -TEAM_ROLE
a team was renamed
  shown: {Pricing: {name: Rates}}
  > tampered: team-renamed in Pricing to Rates
an address was changed
  there: {olga: gone, olga.b: {identifier: u-olga, own: none, keys: {k-olga-pricing: {team: Pricing, kind: team, roles: [DEVELOPER, TEAM_ROLE]}}}}
  > tampered: email-changed olga to olga.b
a key was removed
  keys: {k-gone: {roles: [DEVELOPER, TEAM_ROLE]}}
  state: {keys: {k-gone: {setRoles: [DEVELOPER, TEAM_ROLE], observedRoles: [DEVELOPER, TEAM_ROLE]}}}
  > tampered: key-removed key k-gone -DEVELOPER -TEAM_ROLE
`;

play("a privileged role that the roster does not give", outsideLines)`
  there: {olga: {own: none, in: {Pricing: [ACCOUNT_ADMIN, DEVELOPER, TEAM_ROLE]}}}
  users: {olga}
  teams: {Pricing: {members: [olga], roles: [DEVELOPER, TEAM_ROLE]}}
  reportUnmanaged: true
  state: {members: {Pricing/olga: {prefix: k-olga-pricing}}}
was gained since roster saw the key
  seenKeys: {k-olga-pricing: {prefix: k-olga-pricing, address: olga@acme.example, roles: [DEVELOPER, TEAM_ROLE], at: RECORDED}}
  > tampered, gaining ACCOUNT_ADMIN: roles-changed olga in Pricing key k-olga-pricing +ACCOUNT_ADMIN privileged:
    ACCOUNT_ADMIN
is found on a key seen for the first time
  > tampered, gaining ACCOUNT_ADMIN: privileged-roles-found olga in Pricing key k-olga-pricing +ACCOUNT_ADMIN privileged:
    ACCOUNT_ADMIN
is left where the roster gave it before
  state: {keys: {k-olga-pricing: [ACCOUNT_ADMIN, DEVELOPER, TEAM_ROLE]}}
  > unapplied, gaining ACCOUNT_ADMIN: privileged-roles-left olga in Pricing key k-olga-pricing +ACCOUNT_ADMIN privileged:
    ACCOUNT_ADMIN
`;

play("of what roster only saw", outsideLines)`
  there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}}
  users: {olga, pat}
  teams: {Pricing: {members: [olga], roles: [DEVELOPER, TEAM_ROLE]}}
  reportUnmanaged: true
  state:
    users: {olga: {identifier: u-olga, seenAt: RECORDED}, pat: {seenAt: RECORDED}}
    teams: {Pricing: {identifier: t-pricing}}
    members: {Pricing/olga: {how: seen, prefix: k-olga-pricing}}
  seenKeys:
    k-olga-pricing: {prefix: k-olga-pricing, address: olga@acme.example, roles: [DEVELOPER, TEAM_ROLE], at: RECORDED}
    k-pat: {prefix: k-pat, address: pat@acme.example, roles: [AUDITOR, TEAM_ROLE], at: RECORDED}
a user was removed, with the roles of the key
  there: {pat: {own: [AUDITOR, TEAM_ROLE]}, olga: gone}
  state: {members: gone}
  > tampered: user-removed olga -DEVELOPER -TEAM_ROLE
a key that the roster lists is gone
  there: {pat: {own: [AUDITOR, TEAM_ROLE]}}
  keys: {k-gone: {roles: [DEVELOPER]}}
  seenKeys: {k-gone: {prefix: k-gone, address: pat@acme.example, roles: [DEVELOPER, TEAM_ROLE], at: RECORDED}}
  > tampered: key-removed pat key k-gone -DEVELOPER -TEAM_ROLE
a key that the roster leaves alone has other roles by now
  there: {pat: {own: [ACCOUNT_ADMIN, TEAM_ROLE]}}
  > tampered, gaining ACCOUNT_ADMIN: roles-changed pat own key k-pat +ACCOUNT_ADMIN privileged: ACCOUNT_ADMIN
  > tampered: roles-changed pat own key k-pat -AUDITOR
`;

play("a key that is gone was", outsideLines)`
  there: {ada}
  users: {ada}
  keys: {k-zed: {roles: [AUDITOR]}}
of somebody whom records alone name
  state: {users: {zed: {email: Zed@Acme.example, key: k-zed}}, keys: {k-zed: [AUDITOR]}}
  > tampered: key-removed Zed@Acme.example own key k-zed -AUDITOR
of a member of a team of whom a record alone is left
  state: {members: {Old/zed: {prefix: k-zed}}, teams: {Old}, keys: {k-zed: [AUDITOR]}}
  > tampered: key-removed zed in Old key k-zed -AUDITOR
of a member of a team that no record names either
  state: {members: {Old/zed: {prefix: k-zed}}, keys: {k-zed: [AUDITOR]}}
  > tampered: key-removed zed in acc-1/old key k-zed -AUDITOR
`;

const at = "2026-11-20T12:00:00.000Z";

function seenIn({ roster = aRoster({}), snapshot, state = emptyState("test") }: Parts, moving: readonly string[] = []) {
  const policy = { privilegedRoles: defaultPrivilegedRoles, consistency: undefined };
  return accessSeen({ roster, snapshot, state, policy, moving: new Set(moving), at });
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
no key whose roles a call may have replaced that reads need not show yet
  there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}}
  state: {users: {olga: {seenAt: RECORDED, formerRolesAt: 2026-11-20T09:45:00.001Z}}}
  > olga in acc-1/pricing
a key whose roles a call may have replaced so early that reads show it
  there: {olga: {own: none, in: {Pricing: [DEVELOPER, TEAM_ROLE]}}}
  state: {users: {olga: {seenAt: RECORDED, formerRolesAt: 2026-11-20T09:45:00.000Z}}}
  > olga in acc-1/pricing
  > k-olga-pricing DEVELOPER+TEAM_ROLE
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
