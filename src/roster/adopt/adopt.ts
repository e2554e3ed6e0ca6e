import { formatPlace } from "../../model/place.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import type { Leaver } from "../../model/roster.ts";
import { accountStatus, type ObservedUser, type Snapshot } from "../../model/snapshot.ts";
import { accountResolver } from "./account-of.ts";
import { type ImportedOwnKeys, importOwnKeys } from "./adopt-keys.ts";
import { type ClassifiedUser, userClassifier } from "./adopt-people.ts";
import { importTeam, type TeamContext } from "./adopt-teams.ts";
import type { ImportedAccount, ImportedRoster, ImportedUser, ImportInput } from "./adoption.ts";
import { type ExistingRoster, mergeWithRoster, missingMembersNote, noExistingRoster } from "./beside.ts";
import { collectTeams, type ShownTeam } from "./gather-teams.ts";
import { roleReader } from "./manageable-roles.ts";
import { hiddenDataNotes } from "./tell-hidden.ts";

/** Somebody of an adopted account whom no roster names yet. */
interface ImportCandidate {
  readonly account: string;
  readonly observed: ObservedUser;
  readonly judged: ClassifiedUser;
  readonly own: ImportedOwnKeys;
}

interface ImportContext extends TeamContext {
  readonly people: readonly ImportCandidate[];
  readonly teams: readonly ShownTeam[];
  readonly beside: ExistingRoster;
}

/** What a roster has to say so that it asks for just what is there. Everything else is told as a remark. */
export function importSnapshot(question: ImportInput): ImportedRoster {
  const snapshot = { ...question.snapshot, users: [...question.snapshot.users].sort(byAddress) };
  const open = question.accounts.filter((account) => isOpen(account, snapshot));
  const accounts = accountResolver(snapshot, question);
  const beside = question.existing === undefined ? noExistingRoster : mergeWithRoster(question.existing);
  const roles = snapshot.capabilities.rolesOnKeys === "hidden" ? "omit" : question.roles;
  const judge = roleReader(snapshot);
  const people = classifyUsers(snapshot, { open, accountOf: accounts.of, beside, ownKeys: ownKeyReader(roles, judge) });
  const emails = new Map(people.flatMap(({ observed, judged }) => candidateEmail(observed, judged)));
  const shown = collectTeams(snapshot.users, accounts.of);
  const emailOf = (user: ObservedUser) => emails.get(user) ?? beside.emailOf(user);
  const isLeaver = (user: ObservedUser) => beside.leaverOf(user) !== undefined;
  const ground: ImportContext = { people, teams: shown.teams, beside, emailOf, isLeaver, judge, roles };
  const namesHidden = people.filter(({ observed, judged }) => judged.user !== undefined && isNameless(observed));
  return {
    accounts: open.map((account) => importAccount(account, ground)),
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
  return [`The account ${account} is ${shown.status}: nothing of it is adopted.`];
}

function ownKeyReader(roles: "keep" | "omit", judge: TeamContext["judge"]): (user: ObservedUser) => ImportedOwnKeys {
  return roles === "omit" ? () => ({ keys: [], remarks: [] }) : (user) => importOwnKeys(user, judge);
}

function classifyUsers(
  { users }: Snapshot,
  by: {
    readonly open: readonly string[];
    readonly accountOf: (user: ObservedUser) => string | undefined;
    readonly beside: ExistingRoster;
    readonly ownKeys: (user: ObservedUser) => ImportedOwnKeys;
  },
): readonly ImportCandidate[] {
  const judge = userClassifier(users);
  return users.flatMap((observed): ImportCandidate[] => {
    const account = by.accountOf(observed);
    if (account === undefined || !by.open.includes(account)) return [];
    if (by.beside.emailOf(observed) !== undefined) return [];
    const leaver = by.beside.leaverOf(observed);
    const judged = leaver === undefined ? judge(observed) : skippedLeaver(observed, leaver);
    const own = judged.user === undefined ? { keys: [], remarks: [] } : by.ownKeys(observed);
    return [{ account, observed, judged, own }];
  });
}

/** Whoever is to hold nothing is not written down as somebody who is to be there. */
function skippedLeaver({ email }: ObservedUser, { place }: Leaver): ClassifiedUser {
  return { remarks: [`${email} is a leaver of the roster (${formatPlace(place)}).`] };
}

function importAccount(account: string, ground: ImportContext): ImportedAccount {
  const { beside, emailOf } = ground;
  const people = ground.people.filter((person) => person.account === account);
  const teams = ground.teams.filter((team) => team.account === account);
  const keys = people.flatMap(({ own }) => own.keys).filter((key) => !beside.hasKey(key));
  const lacking = teams.flatMap((team) => {
    const known = beside.teamOf(team);
    return known === undefined ? [] : missingMembersNote(known, team, emailOf);
  });
  const newTeams = teams.filter((team) => beside.teamOf(team) === undefined);
  return {
    account,
    users: { found: people.flatMap(candidateUser), remarks: people.flatMap(({ judged }) => judged.remarks) },
    teams: { found: newTeams.map((team) => importTeam(team, ground)), remarks: lacking },
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
  { user }: ClassifiedUser,
): readonly (readonly [ObservedUser, string])[] {
  return user === undefined ? [] : [[observed, user.email]];
}

function isNameless({ firstName, lastName }: ObservedUser): boolean {
  return firstName === undefined || lastName === undefined;
}

function byAddress(a: ObservedUser, b: ObservedUser): number {
  return byCodeUnit(a.address, b.address) || byCodeUnit(a.identifier ?? "", b.identifier ?? "");
}
