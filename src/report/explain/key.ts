import type { EmailKey } from "../../model/address.ts";
import { reasonAt } from "../../model/fact.ts";
import { accountStatus, keyBelongsToTeam, type ObservedKey, shownOwnKey } from "../../model/key.ts";
import type { TeamKey } from "../../model/recorded.ts";
import { formatRoles } from "../../model/role-set.ts";
import { type DesiredTeam, isDisambiguatedTeamKey, ownTeamKeys, teamAliases } from "../../model/team.ts";
import type { DesiredUser } from "../../model/user.ts";
import { ownershipAside } from "../phrases.ts";
import {
  type ExplainContext,
  formatObservedKey,
  recordedRoles,
  resolvePerson,
  type Statement,
  unmanagedKeys,
} from "./explanation.ts";

/** Where the roster names a prefix or means it by whose key it is, and which roles it asks for there. */
export function keyInRoster(prefix: string, context: ExplainContext): readonly Statement[] {
  const written = explicitKeyStatements(prefix, context);
  return [
    ...written,
    ...keyRecords(prefix, context).flatMap((holding) => impliedKeyStatements(prefix, holding, context)),
  ];
}

/** What the roster says of the key by whose it is, without its prefix. */
function impliedKeyStatements(
  prefix: string,
  { address, as }: KeyRecord,
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
  { address, email }: DesiredUser,
  { name, members }: DesiredTeam,
): readonly Statement[] {
  const member = members.find((one) => one.address === address);
  if (member === undefined || member.key?.value === prefix) return [];
  const asked = member.roles === undefined ? "roles not managed" : formatRoles(member.roles);
  return [{ says: `the key of ${email} in ${name}: ${asked}`, because: member.because }];
}

function explicitKeyStatements(prefix: string, { roster }: ExplainContext): readonly Statement[] {
  const listed = roster.keys.filter((key) => key.prefix === prefix);
  const own = [...roster.users.values()].filter(({ key }) => key?.value === prefix);
  const inTeams = roster.teams.flatMap(({ name, members }) =>
    members.flatMap(({ address, key, roles, because }) => {
      if (key?.value !== prefix) return [];
      const asked = roles === undefined ? "roles not managed" : formatRoles(roles);
      return [
        {
          says: `the key of ${address} in ${name}: ${asked}`,
          because: [reasonAt(key.place, "known-prefix"), ...because],
        },
      ];
    }),
  );
  return [
    ...listed.map(({ roles, owner, ownership, because }) => {
      const whose = owner === undefined ? "" : ` of ${owner.value}`;
      return { says: `a listed key${whose}${ownershipAside(ownership)}: ${formatRoles(roles)}`, because };
    }),
    ...own.map(({ email, key, ownKeyRoles }) => {
      const asked = ownKeyRoles === undefined ? "roles not managed" : formatRoles(ownKeyRoles.value);
      return { says: `the own key of ${email}: ${asked}`, ...(key === undefined ? {} : { place: key.place }) };
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
  if (snapshot.capabilities.keysOnUsers === "hidden") return [{ says: "the service does not show the keys of users" }];
  return [{ says: "no user that was read has this key" }];
}

/** What our record has of the key. */
export function keyInState(prefix: string, { state }: ExplainContext): readonly Statement[] {
  const users = [...state.users.values()].filter(({ key }) => key === prefix);
  const places = [...state.memberships.values()].filter((held) => held.prefix === prefix);
  return [
    ...users.map(({ email, createdAt, seenAt }) => {
      const at = createdAt ?? seenAt;
      return { says: `the key created with ${email}`, ...(at === undefined ? {} : { at }) };
    }),
    ...places.map(({ address, team, at }) => ({
      says: `the key of ${address} in ${state.teams.get(team)?.name ?? team}`,
      at,
    })),
    ...recordedRoles(prefix, state),
  ];
}

/** That nobody asks for anything on it. */
export function keyUnmanaged(prefix: string, context: ExplainContext): readonly Statement[] {
  const holders = context.snapshot.users.filter(({ keys = [] }) => keys.some((key) => key.prefix === prefix));
  return holders.flatMap((user) =>
    unmanagedKeys({ ...user, keys: (user.keys ?? []).filter((key) => key.prefix === prefix) }, context),
  );
}

/** Whose key it is, and in which team of the roster or as which own key, where that is context. */
interface KeyRecord {
  readonly address: EmailKey;
  readonly as:
    | { readonly is: "team-key"; readonly team: DesiredTeam }
    | { readonly is: "own-key" }
    | { readonly is: "unclear" };
}

/** What the service shows of who holds a key, else what our record says; the roster need not write its prefix. */
function keyRecords(prefix: string, context: ExplainContext): readonly KeyRecord[] {
  const { roster, snapshot } = context;
  const shown = snapshot.users.flatMap((user) => {
    const key = user.keys?.find((one) => one.prefix === prefix);
    if (key === undefined || accountStatus(key.status) === "deleted") return [];
    const team = teamOf(key, context);
    const isOwn = shownOwnKey(user)?.prefix === prefix;
    const as: KeyRecord["as"] = team === undefined ? { is: isOwn ? "own-key" : "unclear" } : { is: "team-key", team };
    return [{ address: resolvePerson(user.address, roster), as }];
  });
  return shown.some(({ as }) => as.is !== "unclear") ? shown : [...shown, ...recorded(prefix, context)];
}

function teamOf(key: ObservedKey, { roster, state }: ExplainContext): DesiredTeam | undefined {
  const own = ownTeamKeys(roster.teams);
  return roster.teams.find((team) => {
    const { names } = teamAliases(team, own);
    const identifier = team.identifier?.value ?? state.teams.get(team.key)?.identifier;
    return keyBelongsToTeam(key, { names, identifier, isTwin: isDisambiguatedTeamKey(team.key) }) === "yes";
  });
}

function recorded(prefix: string, { roster, state }: ExplainContext): readonly KeyRecord[] {
  const own = ownTeamKeys(roster.teams);
  const holding = (address: EmailKey, team: TeamKey | undefined): readonly KeyRecord[] => {
    const meant = resolvePerson(address, roster);
    if (team === undefined) return [{ address: meant, as: { is: "own-key" } }];
    const found = roster.teams.find((one) => teamAliases(one, own).recordKeys.includes(team));
    return [{ address: meant, as: found === undefined ? { is: "unclear" } : { is: "team-key", team: found } }];
  };
  const places = [...state.memberships.values()].filter((held) => held.prefix === prefix);
  const users = [...state.users.values()].filter(({ key }) => key === prefix);
  const inTeams = places.flatMap(({ address, team }) => holding(address, team));
  return inTeams.length > 0 ? inTeams : users.flatMap(({ address, createdTeam }) => holding(address, createdTeam));
}
