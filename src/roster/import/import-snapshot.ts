import { byCodeUnit } from "../../model/collections.ts";
import { isOpen } from "../../model/key.ts";
import { byUserAddress, type ObservedUser } from "../../model/user.ts";
import { collectTeams, importTeam, type ShownTeam, type ShownTeams } from "./teams.ts";
import {
  accountResolver,
  type ImportedOwnKeys,
  type ImportedRoster,
  type ImportedUserStatus,
  type ImportInput,
  importOwnKeys,
  roleReader,
  unknownName,
  userClassifier,
} from "./users.ts";

/** What a roster has to say so that it asks for just what is there. Everything else becomes a remark. */
export function importSnapshot(question: ImportInput): ImportedRoster {
  const users = [...question.snapshot.users].sort(byUserAddress);
  const snapshot = { ...question.snapshot, users };
  const shownAccounts = question.accounts.flatMap((account) => {
    const shown = snapshot.accounts.get(account);
    return shown === undefined ? [] : [{ account, shown }];
  });
  const open = shownAccounts.filter(({ shown }) => isOpen(shown)).map(({ account }) => account);
  const accounts = accountResolver(snapshot, question);
  const roles = snapshot.capabilities.rolesOnKeys === "hidden" ? "omit" : "keep";
  const judgeUser = userClassifier(users);
  const judge = roleReader(snapshot);
  const shown = collectTeams(users, accounts.of);
  const emails = new Map<ObservedUser, string>();
  const people = users.flatMap((observed) => {
    const account = accounts.of(observed);
    if (account === undefined || !open.includes(account)) return [];
    const owns = `${observed.email} owns the API key in use. To manage this user too, add them here.`;
    const isOwner = isKeyOwner(observed, question.keyInUse, shown.teams);
    const { user, remarks }: ImportedUserStatus = isOwner ? { remarks: [owns] } : judgeUser(observed);
    if (user !== undefined) emails.set(observed, user.email);
    const own: ImportedOwnKeys =
      user === undefined || roles === "omit" ? { keys: [], remarks: [] } : importOwnKeys(observed, judge);
    return [{ account, user: user && { ...user, ownKeyRoles: own.ownKeyRoles }, remarks, own }];
  });
  const context = { emailOf: (user: ObservedUser) => emails.get(user), judge, roles } as const;
  const nameless = [...emails.keys()].filter(
    ({ firstName, lastName }) => firstName === undefined || lastName === undefined,
  );
  return {
    accounts: open.map((account) => {
      const members = people.filter((person) => person.account === account);
      const teams = shown.teams.filter((team) => team.account === account);
      const keys = members.flatMap(({ own }) => own.keys).sort((a, b) => byCodeUnit(a.prefix, b.prefix));
      return {
        account,
        users: {
          found: members.flatMap(({ user }) => user ?? []),
          remarks: members.flatMap(({ remarks }) => remarks),
        },
        teams: { found: teams.map((team) => importTeam(team, context)), remarks: [] },
        keys: { found: keys, remarks: members.flatMap(({ own }) => own.remarks) },
      };
    }),
    remarks: [
      ...shownAccounts
        .filter(({ shown }) => !isOpen(shown))
        .map(({ account, shown: { status } }) => `The account ${account} is ${status}: nothing is imported from it.`),
      ...accounts.remarks,
      ...hiddenDataNotes(question, shown, nameless.length),
    ],
  };
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
