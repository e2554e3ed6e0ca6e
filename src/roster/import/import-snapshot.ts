import type { FoldedAddress } from "../../model/address.ts";
import { formatPlace } from "../../model/fact.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import type { Leaver, Roster, RosterTeam } from "../../model/roster.ts";
import { accountStatus, byUserAddress, type ObservedUser, type Snapshot } from "../../model/snapshot.ts";
import { foldName } from "../../model/team.ts";
import { collectTeams, importTeam, type ShownTeam, type ShownTeams, type TeamContext, teamName } from "./teams.ts";
import {
  accountResolver,
  type ImportedAccount,
  type ImportedKey,
  type ImportedOwnKeys,
  type ImportedRoster,
  type ImportedUser,
  type ImportedUserStatus,
  type ImportInput,
  importOwnKeys,
  roleReader,
  unknownName,
  userClassifier,
} from "./users.ts";

/** Somebody of an adopted account whom no roster names yet. */
interface ImportCandidate {
  readonly account: string;
  readonly observed: ObservedUser;
  readonly judged: ImportedUserStatus;
  readonly own: ImportedOwnKeys;
}

interface ImportContext extends TeamContext {
  readonly people: readonly ImportCandidate[];
  readonly teams: readonly ShownTeam[];
  readonly existing: ExistingRoster;
}

/** What a roster has to say so that it asks for just what is there. Everything else becomes a remark. */
export function importSnapshot(question: ImportInput): ImportedRoster {
  const snapshot = { ...question.snapshot, users: [...question.snapshot.users].sort(byUserAddress) };
  const open = question.accounts.filter((account) => isOpen(account, snapshot));
  const accounts = accountResolver(snapshot, question);
  const existing = question.existing === undefined ? noExistingRoster : mergeWithRoster(question.existing);
  const roles = snapshot.capabilities.rolesOnKeys === "hidden" ? "omit" : question.roles;
  const judge = roleReader(snapshot);
  const shown = collectTeams(snapshot.users, accounts.of);
  const people = classifyUsers(snapshot, {
    open,
    accountOf: accounts.of,
    existing,
    ownKeys: ownKeyReader(roles, judge),
    isKeyOwner: (user) => isKeyOwner(user, question.keyInUse, shown.teams),
  });
  const emails = new Map(people.flatMap(({ observed, judged }) => candidateEmail(observed, judged)));
  const emailOf = (user: ObservedUser) => emails.get(user) ?? existing.emailOf(user);
  const isLeaver = (user: ObservedUser) => existing.leaverOf(user) !== undefined;
  const context: ImportContext = { people, teams: shown.teams, existing, emailOf, isLeaver, judge, roles };
  const namesHidden = people.filter(({ observed, judged }) => judged.user !== undefined && isNameless(observed));
  return {
    accounts: open.map((account) => importAccount(account, context)),
    remarks: [
      ...question.accounts.flatMap((account) => closedAccountNote(account, snapshot)),
      ...accounts.remarks,
      ...hiddenDataNotes(question, shown, namesHidden.length),
    ],
  };
}

function isOpen(account: string, { accounts }: Snapshot): boolean {
  const word = accountStatus(accounts.get(account)?.status);
  return accounts.has(account) && word !== "barred" && word !== "deleted";
}

function closedAccountNote(account: string, snapshot: Snapshot): readonly string[] {
  const shown = snapshot.accounts.get(account);
  if (isOpen(account, snapshot) || shown === undefined) return [];
  return [`The account ${account} is ${shown.status}: nothing is imported from it.`];
}

function ownKeyReader(roles: "keep" | "omit", judge: TeamContext["judge"]): (user: ObservedUser) => ImportedOwnKeys {
  return roles === "omit" ? () => ({ keys: [], remarks: [] }) : (user) => importOwnKeys(user, judge);
}

function classifyUsers(
  { users }: Snapshot,
  by: {
    readonly open: readonly string[];
    readonly accountOf: (user: ObservedUser) => string | undefined;
    readonly existing: ExistingRoster;
    readonly ownKeys: (user: ObservedUser) => ImportedOwnKeys;
    readonly isKeyOwner: (user: ObservedUser) => boolean;
  },
): readonly ImportCandidate[] {
  const judge = userClassifier(users);
  return users.flatMap((observed): ImportCandidate[] => {
    const account = by.accountOf(observed);
    if (account === undefined || !by.open.includes(account)) return [];
    if (by.existing.emailOf(observed) !== undefined) return [];
    const leaver = by.existing.leaverOf(observed);
    const unasked = by.isKeyOwner(observed) ? skippedKeyOwner(observed) : judge(observed);
    const judged = leaver === undefined ? unasked : skippedLeaver(observed, leaver);
    const own = judged.user === undefined ? { keys: [], remarks: [] } : by.ownKeys(observed);
    return [{ account, observed, judged, own }];
  });
}

/** A person who is to hold nothing is not written down as somebody who is to be there. */
function skippedLeaver({ email }: ObservedUser, { place }: Leaver): ImportedUserStatus {
  return { remarks: [`${email} is a leaver of the roster (${formatPlace(place)}).`] };
}

/** An administrator who runs roster is rarely managed by it. A member of a team is imported anyway: without them, the team would be open. */
function isKeyOwner(
  { keys = [], address }: ObservedUser,
  prefix: string | undefined,
  teams: readonly ShownTeam[],
): boolean {
  if (prefix === undefined || !keys.some((key) => key.prefix === prefix)) return false;
  return !teams.some(({ holders }) => holders.some(({ user }) => user.address === address));
}

function skippedKeyOwner({ email }: ObservedUser): ImportedUserStatus {
  return { remarks: [`${email} owns the API key in use. To import this user, pass --include-key-owner.`] };
}

function importAccount(account: string, context: ImportContext): ImportedAccount {
  const { existing, emailOf } = context;
  const people = context.people.filter((person) => person.account === account);
  const teams = context.teams.filter((team) => team.account === account);
  const keys = people.flatMap(({ own }) => own.keys).filter((key) => !existing.hasKey(key));
  const lacking = teams.flatMap((team) => {
    const known = existing.teamOf(team);
    return known === undefined ? [] : missingMembersNote(known, team, emailOf);
  });
  const newTeams = teams.filter((team) => existing.teamOf(team) === undefined);
  return {
    account,
    users: { found: people.flatMap(candidateUser), remarks: people.flatMap(({ judged }) => judged.remarks) },
    teams: { found: newTeams.map((team) => importTeam(team, context)), remarks: lacking },
    keys: {
      found: keys.sort((a, b) => byCodeUnit(a.prefix, b.prefix)),
      remarks: people.flatMap(({ own }) => own.remarks),
    },
  };
}

function candidateUser({ judged, own }: ImportCandidate): readonly ImportedUser[] {
  if (judged.user === undefined) return [];
  return [own.ownKeyRoles === undefined ? judged.user : { ...judged.user, ownKeyRoles: own.ownKeyRoles }];
}

function candidateEmail(
  observed: ObservedUser,
  { user }: ImportedUserStatus,
): readonly (readonly [ObservedUser, string])[] {
  return user === undefined ? [] : [[observed, user.email]];
}

function isNameless({ firstName, lastName }: ObservedUser): boolean {
  return firstName === undefined || lastName === undefined;
}

/** What an existing roster already has, so that nothing is written twice. */
interface ExistingRoster {
  /** The address under which it names a person, by their address of today or a former one. */
  emailOf(user: ObservedUser): string | undefined;
  /** As whom it wants somebody to hold nothing. */
  leaverOf(user: ObservedUser): Leaver | undefined;
  /** The team of the roster that a team of the service is: by its identifier, else by its name. */
  teamOf(team: ShownTeam): RosterTeam | undefined;
  hasKey(key: ImportedKey): boolean;
}

const noExistingRoster: ExistingRoster = {
  emailOf: () => undefined,
  leaverOf: () => undefined,
  teamOf: () => undefined,
  hasKey: () => false,
};

function mergeWithRoster({ users, leavers, teams, keys }: Roster): ExistingRoster {
  const emails = new Map<FoldedAddress, string>();
  for (const { email, previously } of users.values()) for (const { value } of previously) emails.set(value, email);
  for (const { address, email } of users.values()) emails.set(address, email);
  const identified = new Map(
    teams.flatMap((team) => (team.identifier ? [[team.identifier.value, team] as const] : [])),
  );
  const unidentified = teams.filter(({ identifier }) => identifier === undefined);
  const prefixes = new Set(keys.map(({ prefix }) => prefix));
  return {
    emailOf: ({ address }) => emails.get(address),
    leaverOf: ({ address }) => leavers.get(address),
    teamOf: (team) => identified.get(team.identifier) ?? unidentified.find((one) => hasTeamName(one, team)),
    hasKey: ({ prefix }) => prefixes.has(prefix),
  };
}

function hasTeamName({ account, name, previously }: RosterTeam, team: ShownTeam): boolean {
  const names = [name, ...previously.map(({ value }) => value)].map(foldName);
  return account === team.account && names.includes(foldName(teamName(team)));
}

/** Who is in a team of the service and not in the roster's team, which no other file can say. */
function missingMembersNote(
  wanted: RosterTeam,
  team: ShownTeam,
  emailOf: (user: ObservedUser) => string | undefined,
): readonly string[] {
  if (wanted.open) return [];
  const members = new Set(wanted.members.map(({ address }) => address));
  const lacking = team.holders.flatMap(({ user }) => (members.has(user.address) ? [] : (emailOf(user) ?? [])));
  if (lacking.length === 0) return [];
  const { file, line } = wanted.place;
  return [`The team ${wanted.name} (${file}:${line}) does not list ${lacking.join(", ")}: add them to its members.`];
}

/** What the service does not show, and what that means for the roster, one sentence each. */
function hiddenDataNotes(
  { snapshot, roles, listedOnly = [] }: ImportInput,
  { teams, nameless }: ShownTeams,
  withoutName: number,
): readonly string[] {
  const { keysOnUsers, rolesOnKeys, teamsOnKeys } = snapshot.capabilities;
  return [
    ...(keysOnUsers === "hidden"
      ? ["The service does not show the keys of users: no team, membership or role is imported."]
      : []),
    ...(keysOnUsers !== "hidden" && teamsOnKeys === "hidden" && teams.length + nameless.length === 0
      ? ["The service does not show the teams of keys: no team is imported."]
      : []),
    ...(rolesOnKeys === "hidden" && roles === "keep"
      ? ["The service does not show the roles of keys: the roster does not manage them."]
      : []),
    ...nameless.map(
      (name) =>
        `The service shows the team ${name} without its identifier. Look it up, and write the team with \`identifier:\`.`,
    ),
    ...(listedOnly.length === 0
      ? []
      : [`The list of users shows these people, but a search does not find them: ${emailList(listedOnly)}.`]),
    ...(withoutName === 0
      ? []
      : [
          `The service does not show the names of ${withoutName} ${withoutName === 1 ? "person" : "people"}: \`${unknownName}\` is written instead.`,
        ]),
  ];
}

function emailList(users: readonly ObservedUser[]): string {
  return users.map(({ email }) => email).join(", ");
}
