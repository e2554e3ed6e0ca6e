import { byCodeUnit } from "../../model/collections.ts";
import { isOpen } from "../../model/key.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { byUserAddress, type ObservedUser } from "../../model/user.ts";
import { collectTeams, importTeam, type ShownTeam, type ShownTeams, type TeamContext } from "./teams.ts";
import {
  accountResolver,
  type ImportedAccount,
  type ImportedOwnKeys,
  type ImportedRoster,
  type ImportedUserStatus,
  type ImportInput,
  importOwnKeys,
  roleReader,
  unknownName,
  userClassifier,
} from "./users.ts";

interface ImportCandidate {
  readonly account: string;
  readonly observed: ObservedUser;
  readonly judged: ImportedUserStatus;
  readonly own: ImportedOwnKeys;
}

interface ImportContext extends TeamContext {
  readonly people: readonly ImportCandidate[];
  readonly teams: readonly ShownTeam[];
}

/** What a roster has to say so that it asks for just what is there. Everything else becomes a remark. */
export function importSnapshot(question: ImportInput): ImportedRoster {
  const snapshot = { ...question.snapshot, users: [...question.snapshot.users].sort(byUserAddress) };
  const open = question.accounts.filter((account) => isOpenAccount(account, snapshot));
  const accounts = accountResolver(snapshot, question);
  const roles = snapshot.capabilities.rolesOnKeys === "hidden" ? "omit" : "keep";
  const judge = roleReader(snapshot);
  const shown = collectTeams(snapshot.users, accounts.of);
  const people = classifyUsers(snapshot, {
    open,
    accountOf: accounts.of,
    ownKeys: (user) => (roles === "omit" ? { keys: [], remarks: [] } : importOwnKeys(user, judge)),
    isKeyOwner: (user) => isKeyOwner(user, question.keyInUse, shown.teams),
  });
  const emails = new Map(
    people.flatMap(({ observed, judged }) => (judged.user ? [[observed, judged.user.email] as const] : [])),
  );
  const emailOf = (user: ObservedUser) => emails.get(user);
  const context: ImportContext = { people, teams: shown.teams, emailOf, judge, roles };
  const namesHidden = people.filter(
    ({ observed: { firstName, lastName }, judged }) =>
      judged.user !== undefined && (firstName === undefined || lastName === undefined),
  );
  return {
    accounts: open.map((account) => importAccount(account, context)),
    remarks: [
      ...question.accounts.flatMap((account) => closedAccountNote(account, snapshot)),
      ...accounts.remarks,
      ...hiddenDataNotes(question, shown, namesHidden.length),
    ],
  };
}

function isOpenAccount(account: string, { accounts }: Snapshot): boolean {
  const shown = accounts.get(account);
  return shown !== undefined && isOpen(shown);
}

function closedAccountNote(account: string, snapshot: Snapshot): readonly string[] {
  const shown = snapshot.accounts.get(account);
  if (isOpenAccount(account, snapshot) || shown === undefined) return [];
  return [`The account ${account} is ${shown.status}: nothing is imported from it.`];
}

function classifyUsers(
  { users }: Snapshot,
  by: {
    readonly open: readonly string[];
    readonly accountOf: (user: ObservedUser) => string | undefined;
    readonly ownKeys: (user: ObservedUser) => ImportedOwnKeys;
    readonly isKeyOwner: (user: ObservedUser) => boolean;
  },
): readonly ImportCandidate[] {
  const judge = userClassifier(users);
  return users.flatMap((observed): ImportCandidate[] => {
    const account = by.accountOf(observed);
    if (account === undefined || !by.open.includes(account)) return [];
    const judged = by.isKeyOwner(observed) ? { remarks: [ownerNote(observed)] } : judge(observed);
    const own = judged.user === undefined ? { keys: [], remarks: [] } : by.ownKeys(observed);
    return [{ account, observed, judged, own }];
  });
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

function ownerNote({ email }: ObservedUser): string {
  return `${email} owns the API key in use. To manage this user too, add them here.`;
}

function importAccount(account: string, context: ImportContext): ImportedAccount {
  const people = context.people.filter((person) => person.account === account);
  const teams = context.teams.filter((team) => team.account === account);
  const keys = people.flatMap(({ own }) => own.keys);
  return {
    account,
    users: {
      found: people.flatMap(({ judged, own }) =>
        judged.user ? [{ ...judged.user, ownKeyRoles: own.ownKeyRoles }] : [],
      ),
      remarks: people.flatMap(({ judged }) => judged.remarks),
    },
    teams: { found: teams.map((team) => importTeam(team, context)), remarks: [] },
    keys: {
      found: keys.sort((a, b) => byCodeUnit(a.prefix, b.prefix)),
      remarks: people.flatMap(({ own }) => own.remarks),
    },
  };
}

function hiddenDataNotes(
  { snapshot, listedOnly = [] }: ImportInput,
  { teams, nameless }: ShownTeams,
  withoutName: number,
): readonly string[] {
  const { keysOnUsers, rolesOnKeys, teamsOnKeys } = snapshot.capabilities;
  const isWithoutTeams = keysOnUsers !== "hidden" && teamsOnKeys === "hidden" && teams.length + nameless.length === 0;
  const listed = listedOnly.map(({ email }) => email).join(", ");
  const people = withoutName === 1 ? "person" : "people";
  const notes = [
    keysOnUsers === "hidden" && "The service does not show the keys of users: no team, membership or role is imported.",
    isWithoutTeams && "The service does not show the teams of keys: no team is imported.",
    rolesOnKeys === "hidden" && "The service does not show the roles of keys: the roster does not manage them.",
    ...nameless.map(
      (name) =>
        `The service shows the team ${name} without its identifier. Look it up, and write the team with \`identifier:\`.`,
    ),
    listed !== "" && `The list of users shows these people, but a search does not find them: ${listed}.`,
    withoutName > 0 &&
      `The service does not show the names of ${withoutName} ${people}: \`${unknownName}\` is written instead.`,
  ];
  return notes.filter((note) => note !== false);
}
