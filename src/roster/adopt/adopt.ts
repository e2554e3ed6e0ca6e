import { showPlace } from "../../model/place.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import type { Leaver } from "../../model/roster.ts";
import { type ObservedUser, type Snapshot, standing } from "../../model/snapshot.ts";
import { accountsOf } from "./account-of.ts";
import { adoptOwnKeys, type OwnKeys } from "./adopt-keys.ts";
import { type JudgedPerson, personJudge } from "./adopt-people.ts";
import { adoptTeam, type TeamGround } from "./adopt-teams.ts";
import type { AdoptedAccount, AdoptedUser, Adoption, AdoptionQuestion } from "./adoption.ts";
import { type Beside, besideRoster, nothingBeside, tellLacking } from "./beside.ts";
import { gatherTeams, type ShownTeam } from "./gather-teams.ts";
import { keyJudge } from "./manageable-roles.ts";
import { tellHidden } from "./tell-hidden.ts";

/** Somebody of an adopted account whom no roster names yet. */
interface Person {
  readonly account: string;
  readonly observed: ObservedUser;
  readonly judged: JudgedPerson;
  readonly own: OwnKeys;
}

interface Ground extends TeamGround {
  readonly people: readonly Person[];
  readonly teams: readonly ShownTeam[];
  readonly beside: Beside;
}

/** What a roster has to say so that it asks for just what is there. Everything else is told as a remark. */
export function adopt(question: AdoptionQuestion): Adoption {
  const snapshot = { ...question.snapshot, users: [...question.snapshot.users].sort(byAddress) };
  const open = question.accounts.filter((account) => isOpen(account, snapshot));
  const accounts = accountsOf(snapshot, question);
  const beside = question.beside === undefined ? nothingBeside : besideRoster(question.beside);
  const roles = snapshot.capabilities.rolesOnKeys === "hidden" ? "omit" : question.roles;
  const judge = keyJudge(snapshot);
  const people = judgePeople(snapshot, { open, accountOf: accounts.of, beside, ownKeys: ownKeyReader(roles, judge) });
  const emails = new Map(people.flatMap(({ observed, judged }) => named(observed, judged)));
  const shown = gatherTeams(snapshot.users, accounts.of);
  const emailOf = (user: ObservedUser) => emails.get(user) ?? beside.emailOf(user);
  const isLeaver = (user: ObservedUser) => beside.leaverOf(user) !== undefined;
  const ground: Ground = { people, teams: shown.teams, beside, emailOf, isLeaver, judge, roles };
  const namesHidden = people.filter(({ observed, judged }) => judged.user !== undefined && isNameless(observed));
  return {
    accounts: open.map((account) => adoptAccount(account, ground)),
    remarks: [
      ...question.accounts.flatMap((account) => tellClosed(account, snapshot)),
      ...accounts.remarks,
      ...tellHidden(question, shown, namesHidden.length),
    ],
  };
}

function isOpen(account: string, { accounts }: Snapshot): boolean {
  const word = standing(accounts.get(account)?.status);
  return accounts.has(account) && word !== "barred" && word !== "deleted";
}

function tellClosed(account: string, snapshot: Snapshot): readonly string[] {
  const shown = snapshot.accounts.get(account);
  if (isOpen(account, snapshot) || shown === undefined) return [];
  return [`The account ${account} is ${shown.status}: nothing of it is adopted.`];
}

function ownKeyReader(roles: "keep" | "omit", judge: TeamGround["judge"]): (user: ObservedUser) => OwnKeys {
  return roles === "omit" ? () => ({ keys: [], remarks: [] }) : (user) => adoptOwnKeys(user, judge);
}

function judgePeople(
  { users }: Snapshot,
  by: {
    readonly open: readonly string[];
    readonly accountOf: (user: ObservedUser) => string | undefined;
    readonly beside: Beside;
    readonly ownKeys: (user: ObservedUser) => OwnKeys;
  },
): readonly Person[] {
  const judge = personJudge(users);
  return users.flatMap((observed): Person[] => {
    const account = by.accountOf(observed);
    if (account === undefined || !by.open.includes(account)) return [];
    if (by.beside.emailOf(observed) !== undefined) return [];
    const leaver = by.beside.leaverOf(observed);
    const judged = leaver === undefined ? judge(observed) : leftAlone(observed, leaver);
    const own = judged.user === undefined ? { keys: [], remarks: [] } : by.ownKeys(observed);
    return [{ account, observed, judged, own }];
  });
}

/** Whoever is to hold nothing is not written down as somebody who is to be there. */
function leftAlone({ email }: ObservedUser, { place }: Leaver): JudgedPerson {
  return { remarks: [`${email} is a leaver of the roster (${showPlace(place)}).`] };
}

function adoptAccount(account: string, ground: Ground): AdoptedAccount {
  const { beside, emailOf } = ground;
  const people = ground.people.filter((person) => person.account === account);
  const teams = ground.teams.filter((team) => team.account === account);
  const keys = people.flatMap(({ own }) => own.keys).filter((key) => !beside.hasKey(key));
  const lacking = teams.flatMap((team) => {
    const known = beside.teamOf(team);
    return known === undefined ? [] : tellLacking(known, team, emailOf);
  });
  const newTeams = teams.filter((team) => beside.teamOf(team) === undefined);
  return {
    account,
    users: { found: people.flatMap(userOf), remarks: people.flatMap(({ judged }) => judged.remarks) },
    teams: { found: newTeams.map((team) => adoptTeam(team, ground)), remarks: lacking },
    keys: {
      found: keys.sort((a, b) => byCodeUnit(a.prefix, b.prefix)),
      remarks: people.flatMap(({ own }) => own.remarks),
    },
  };
}

function userOf({ judged, own }: Person): readonly AdoptedUser[] {
  if (judged.user === undefined) return [];
  return [own.ownKeyRoles === undefined ? judged.user : { ...judged.user, ownKeyRoles: own.ownKeyRoles }];
}

function named(observed: ObservedUser, { user }: JudgedPerson): readonly (readonly [ObservedUser, string])[] {
  return user === undefined ? [] : [[observed, user.email]];
}

function isNameless({ firstName, lastName }: ObservedUser): boolean {
  return firstName === undefined || lastName === undefined;
}

function byAddress(a: ObservedUser, b: ObservedUser): number {
  return byCodeUnit(a.address, b.address) || byCodeUnit(a.identifier ?? "", b.identifier ?? "");
}
