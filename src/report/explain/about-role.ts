import { accountStatus, type ObservedKey, type ObservedUser } from "../../model/snapshot.ts";
import { formatCount } from "../words.ts";
import { roleEffect } from "./concerns.ts";
import type { ExplainContext, Statement } from "./explanation.ts";
import type { RoleGrantStatus } from "./role-standings.ts";
import { formatObservedKey, recordedRoles } from "./say-keys.ts";

const grantStatusPhrases: Readonly<Record<RoleGrantStatus["is"], string>> = {
  shown: "has it already",
  recorded: "has it already, by our record",
  planned: "the plan gives it",
  open: "does not get it by this plan",
};

/** To whom the roster gives the role, by which chain, and whether they have it; and the role sets that it is in. */
export function roleInRoster(
  role: string,
  standings: readonly RoleGrantStatus[],
  { roster }: ExplainContext,
): readonly Statement[] {
  const sets = [...roster.roleSets].filter(([, { value }]) => value.includes(role));
  return [
    {
      says:
        standings.length === 0 ? "it asks for it on no key" : `it asks for it on ${formatKeyCount(standings.length)}`,
    },
    ...sets.map(([name, { place }]) => ({ says: `the role set ${name} has it`, place })),
    ...standings.map(({ wish, is }) => ({ says: `${wish.whose}: ${grantStatusPhrases[is]}`, because: wish.because })),
  ];
}

/** A key on which a role is shown. */
interface RoleCarrier {
  readonly user: ObservedUser;
  readonly key: ObservedKey;
}

/** The keys on which the role is shown. A deleted key opens nothing any more. */
export function roleCarriers(role: string, { snapshot }: ExplainContext): readonly RoleCarrier[] {
  return snapshot.users.flatMap((user) =>
    (user.keys ?? [])
      .filter((key) => key.roles?.includes(role) === true && accountStatus(key.status) !== "deleted")
      .map((key) => ({ user, key })),
  );
}

/** Whether the service knows the role, on which keys it shows it, and what it does not show. */
export function roleInService(
  role: string,
  carriers: readonly RoleCarrier[],
  known: ExplainContext,
): readonly Statement[] {
  const people = new Set(carriers.map(({ user }) => user.address)).size;
  const { everyone } = known.snapshot;
  const nobody = { says: "nobody is shown with it", ...(everyone.read === "complete" ? { by: everyone.by } : {}) };
  return [
    ...roleOffered(role, known),
    carriers.length === 0
      ? nobody
      : {
          says: `${formatKeyCount(carriers.length)} of ${formatCount(people, "person", "people")} ${hasOrHave(carriers.length)} it`,
        },
    ...carriers.map(({ user, key }) => ({ says: `${formatUser(user)}: ${formatObservedKey(key)}`, by: user.by })),
    ...unseenKeys(known),
  ];
}

function roleOffered(role: string, { snapshot }: ExplainContext): readonly Statement[] {
  const { roles } = snapshot;
  if (roles.known !== "observed") return [{ says: "it was not learned which roles it offers" }];
  const found = roles.value.find(({ identifier }) => identifier === role);
  if (found === undefined) return [{ says: "it does not offer this role", by: roles.by }];
  const about = [found.name, found.type].filter((word) => word !== undefined && word !== role);
  return [{ says: `a role that it offers${about.length === 0 ? "" : ` (${about.join(", ")})`}`, by: roles.by }];
}

/** On which keys nobody can see whether they carry it. */
function unseenKeys({ snapshot }: ExplainContext): readonly Statement[] {
  const { users, everyone } = snapshot;
  const hidden = users.filter((user) => user.keys === undefined).length;
  const bare = users.flatMap((user) => user.keys ?? []).filter(({ roles }) => roles === undefined).length;
  return [
    ...(hidden === 0 ? [] : [{ says: `the keys of ${formatCount(hidden, "person", "people")} are not shown` }]),
    ...(bare === 0 ? [] : [{ says: `the roles of ${formatKeyCount(bare)} are not shown` }]),
    ...(everyone.read === "complete"
      ? []
      : [{ says: `not everybody was read${everyone.read === "incomplete" ? `: ${everyone.why}` : ""}` }]),
  ];
}

/** What our record has of the keys for which the role was asked, or on which it was read. */
export function roleInState(role: string, { state }: ExplainContext): readonly Statement[] {
  return [...state.keys]
    .filter(([, { put, readAs }]) => put.includes(role) || readAs?.includes(role) === true)
    .flatMap(([prefix]) => recordedRoles(prefix, state));
}

/** The keys that carry it although the roster does not ask for it, and whether the plan takes it. */
export function roleUnmanaged(
  role: string,
  carriers: readonly RoleCarrier[],
  standings: readonly RoleGrantStatus[],
  { plan }: ExplainContext,
): readonly Statement[] {
  const asked = new Set(standings.flatMap(({ prefixes }) => prefixes));
  const taken = new Set(
    plan.actions.flatMap((action) => {
      const bearing = roleEffect(action, role);
      return bearing?.is === "takes" && bearing.prefix !== undefined ? [bearing.prefix] : [];
    }),
  );
  return carriers
    .filter(({ key }) => !asked.has(key.prefix))
    .map(({ user, key }) => {
      const ends = taken.has(key.prefix) ? "the plan takes it" : "the plan leaves it";
      return { says: `${formatUser(user)} has it all the same, and ${ends}: ${formatObservedKey(key)}`, by: user.by };
    });
}

function formatUser({ email, status }: ObservedUser): string {
  return accountStatus(status) === "active" ? email : `${email} (${status})`;
}

function formatKeyCount(count: number): string {
  return formatCount(count, "key");
}

function hasOrHave(count: number): string {
  return count === 1 ? "has" : "have";
}
