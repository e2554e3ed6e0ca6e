import { reasonAt } from "../../model/fact.ts";
import type { RosterTeam, RosterUser } from "../../model/roster.ts";
import type { ExplainContext, Statement } from "./explanation.ts";
import { type KeyHolding, keyHoldings } from "./key-holdings.ts";
import { formatObservedKey, formatRoles, recordedRoles, unmanagedKeys } from "./say-keys.ts";

/** Where the roster names a prefix or means it by whose key it is, and which roles it asks for there. */
export function keyInRoster(prefix: string, known: ExplainContext): readonly Statement[] {
  const written = explicitKeyStatements(prefix, known);
  return [...written, ...keyHoldings(prefix, known).flatMap((holding) => impliedKeyStatements(prefix, holding, known))];
}

/** What the roster says of the key by whose it is, without its prefix. */
function impliedKeyStatements(
  prefix: string,
  { address, as }: KeyHolding,
  { roster }: ExplainContext,
): readonly Statement[] {
  const leaver = roster.leavers.get(address);
  if (leaver !== undefined) return [{ says: `a key of ${leaver.email}, a leaver: no roles`, because: leaver.because }];
  const user = roster.users.get(address);
  if (user === undefined || as.is === "unclear") return [];
  if (as.is === "team-key") return memberKey(prefix, user, as.team);
  const { email, key, ownKeyRoles } = user;
  if (ownKeyRoles === undefined || key?.value === prefix) return [];
  return [{ says: `the own key of ${email}: ${formatRoles(ownKeyRoles.value)}`, because: ownKeyRoles.because }];
}

function memberKey(
  prefix: string,
  { address, email }: RosterUser,
  { name, members }: RosterTeam,
): readonly Statement[] {
  const member = members.find((one) => one.address === address);
  if (member === undefined || member.key?.value === prefix) return [];
  const wish = member.roles === undefined ? "roles not managed" : formatRoles(member.roles);
  return [{ says: `the key of ${email} in ${name}: ${wish}`, because: member.because }];
}

function explicitKeyStatements(prefix: string, { roster }: ExplainContext): readonly Statement[] {
  const listed = roster.keys.filter((key) => key.prefix === prefix);
  const own = [...roster.users.values()].filter(({ key }) => key?.value === prefix);
  const inTeams = roster.teams.flatMap(({ name, members }) =>
    members.flatMap(({ address, key, roles, because }) => {
      if (key?.value !== prefix) return [];
      const wish = roles === undefined ? "roles not managed" : formatRoles(roles);
      return [
        {
          says: `the key of ${address} in ${name}: ${wish}`,
          because: [reasonAt(key.place, "known-prefix"), ...because],
        },
      ];
    }),
  );
  return [
    ...listed.map(({ roles, owner, note, because }) => {
      const whose = owner === undefined ? "" : ` of ${owner.value}`;
      return { says: `a listed key${whose}${note === undefined ? "" : ` (${note})`}: ${formatRoles(roles)}`, because };
    }),
    ...own.map(({ email, key, ownKeyRoles }) => {
      const wish = ownKeyRoles === undefined ? "roles not managed" : formatRoles(ownKeyRoles.value);
      return { says: `the own key of ${email}: ${wish}`, ...(key === undefined ? {} : { place: key.place }) };
    }),
    ...inTeams,
  ];
}

/** Who holds the key by the service. */
export function keyInService(prefix: string, { snapshot }: ExplainContext): readonly Statement[] {
  const held = snapshot.users.flatMap((user) =>
    (user.keys ?? [])
      .filter((key) => key.prefix === prefix)
      .map((key) => ({ says: `${user.email}: ${formatObservedKey(key)}`, by: user.by })),
  );
  if (held.length > 0) return held;
  if (snapshot.capabilities.keysOnUsers === "hidden") return [{ says: "it does not show the keys of users" }];
  return [{ says: "nobody who was read has this key" }];
}

/** What our record has of the key. */
export function keyInState(prefix: string, { state }: ExplainContext): readonly Statement[] {
  const users = [...state.users.values()].filter(({ key }) => key === prefix);
  const places = [...state.memberships.values()].filter((held) => held.prefix === prefix);
  return [
    ...users.map(({ email, createdAt, seenAt }) => {
      const at = createdAt ?? seenAt;
      return { says: `the key that came with ${email}`, ...(at === undefined ? {} : { at }) };
    }),
    ...places.map(({ address, team, at }) => ({
      says: `the key of ${address} in ${state.teams.get(team)?.name ?? team}`,
      at,
    })),
    ...recordedRoles(prefix, state),
  ];
}

/** That nobody asks for anything on it. */
export function keyUnmanaged(prefix: string, known: ExplainContext): readonly Statement[] {
  const holders = known.snapshot.users.filter(({ keys = [] }) => keys.some((key) => key.prefix === prefix));
  return holders.flatMap((user) =>
    unmanagedKeys({ ...user, keys: (user.keys ?? []).filter((key) => key.prefix === prefix) }, known),
  );
}
