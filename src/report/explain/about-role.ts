import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import { accountStatus } from "../../model/snapshot.ts";
import { counted } from "../words.ts";
import { roleBearing } from "./concerns.ts";
import type { Known, Statement } from "./explanation.ts";
import type { WishStanding } from "./role-standings.ts";
import { keyWords, recordedRoles } from "./say-keys.ts";

const words: Readonly<Record<WishStanding["is"], string>> = {
  shown: "has it already",
  recorded: "has it already, by our record",
  planned: "the plan gives it",
  open: "does not get it by this plan",
};

/** To whom the roster gives the role, by which chain, and whether they have it; and the role sets that it is in. */
export function roleInRoster(
  role: string,
  standings: readonly WishStanding[],
  { roster }: Known,
): readonly Statement[] {
  const sets = [...roster.roleSets].filter(([, { value }]) => value.includes(role));
  return [
    { says: standings.length === 0 ? "it asks for it on no key" : `it asks for it on ${keys(standings.length)}` },
    ...sets.map(([name, { place }]) => ({ says: `the role set ${name} has it`, place })),
    ...standings.map(({ wish, is }) => ({ says: `${wish.whose}: ${words[is]}`, because: wish.because })),
  ];
}

/** A key on which a role is shown. */
interface Carrier {
  readonly user: ObservedUser;
  readonly key: ObservedKey;
}

/** The keys on which the role is shown. A deleted key opens nothing any more. */
export function carriersOf(role: string, { snapshot }: Known): readonly Carrier[] {
  return snapshot.users.flatMap((user) =>
    (user.keys ?? [])
      .filter((key) => key.roles?.includes(role) === true && accountStatus(key.status) !== "deleted")
      .map((key) => ({ user, key })),
  );
}

/** Whether the service knows the role, on which keys it shows it, and what it does not show. */
export function roleInService(role: string, carriers: readonly Carrier[], known: Known): readonly Statement[] {
  const people = new Set(carriers.map(({ user }) => user.address)).size;
  const { everyone } = known.snapshot;
  const nobody = { says: "nobody is shown with it", ...(everyone.read === "complete" ? { by: everyone.by } : {}) };
  return [
    ...offered(role, known),
    carriers.length === 0
      ? nobody
      : { says: `${keys(carriers.length)} of ${counted(people, "person", "people")} ${has(carriers.length)} it` },
    ...carriers.map(({ user, key }) => ({ says: `${holderWords(user)}: ${keyWords(key)}`, by: user.by })),
    ...unseen(known),
  ];
}

function offered(role: string, { snapshot }: Known): readonly Statement[] {
  const { roles } = snapshot;
  if (roles.known !== "observed") return [{ says: "it was not learned which roles it offers" }];
  const found = roles.value.find(({ identifier }) => identifier === role);
  if (found === undefined) return [{ says: "it does not offer this role", by: roles.by }];
  const about = [found.name, found.type].filter((word) => word !== undefined && word !== role);
  return [{ says: `a role that it offers${about.length === 0 ? "" : ` (${about.join(", ")})`}`, by: roles.by }];
}

/** On which keys nobody can see whether they carry it. */
function unseen({ snapshot }: Known): readonly Statement[] {
  const { users, everyone } = snapshot;
  const hidden = users.filter((user) => user.keys === undefined).length;
  const bare = users.flatMap((user) => user.keys ?? []).filter(({ roles }) => roles === undefined).length;
  return [
    ...(hidden === 0 ? [] : [{ says: `the keys of ${counted(hidden, "person", "people")} are not shown` }]),
    ...(bare === 0 ? [] : [{ says: `the roles of ${keys(bare)} are not shown` }]),
    ...(everyone.read === "complete"
      ? []
      : [{ says: `not everybody was read${everyone.read === "incomplete" ? `: ${everyone.why}` : ""}` }]),
  ];
}

/** What our record has of the keys for which the role was asked, or on which it was read. */
export function roleInState(role: string, { state }: Known): readonly Statement[] {
  return [...state.keys]
    .filter(([, { put, readAs }]) => put.includes(role) || readAs?.includes(role) === true)
    .flatMap(([prefix]) => recordedRoles(prefix, state));
}

/** The keys that carry it although the roster does not ask for it, and whether the plan takes it. */
export function roleUnasked(
  role: string,
  carriers: readonly Carrier[],
  standings: readonly WishStanding[],
  { plan }: Known,
): readonly Statement[] {
  const asked = new Set(standings.flatMap(({ prefixes }) => prefixes));
  const taken = new Set(
    plan.actions.flatMap((action) => {
      const bearing = roleBearing(action, role);
      return bearing?.is === "takes" && bearing.prefix !== undefined ? [bearing.prefix] : [];
    }),
  );
  return carriers
    .filter(({ key }) => !asked.has(key.prefix))
    .map(({ user, key }) => {
      const ends = taken.has(key.prefix) ? "the plan takes it" : "the plan leaves it";
      return { says: `${holderWords(user)} has it all the same, and ${ends}: ${keyWords(key)}`, by: user.by };
    });
}

function holderWords({ email, status }: ObservedUser): string {
  return accountStatus(status) === "active" ? email : `${email} (${status})`;
}

function keys(count: number): string {
  return counted(count, "key");
}

function has(count: number): string {
  return count === 1 ? "has" : "have";
}
