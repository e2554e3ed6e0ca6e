import { foldAddress, maxAddressLength, maxNameLength, unsafeAddressReason } from "../../model/address.ts";
import { byCodeUnit, groupBy, multimap } from "../../model/collections.ts";
import { accountStatus, isDeleted, isOpen, type ObservedKey, shownOwnKey, shownTeam } from "../../model/key.ts";
import { listedMembers, type Snapshot } from "../../model/snapshot.ts";
import { foldName } from "../../model/team.ts";
import { byUserAddress, type DesiredUser, type ObservedUser } from "../../model/user.ts";
import { type Profile, type RoleSet, sameRoles } from "../../model/values.ts";
import { looksLikeAddress, maxRoles, textProblem } from "../decode.ts";

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
    const owns = `${observed.email} owns the API key in use. To manage this user too, add the user here.`;
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
  { teams, nameless }: ReturnType<typeof collectTeams>,
  withoutName: number,
): readonly string[] {
  const { keysOnUsers, rolesOnKeys, teamsOnKeys } = snapshot.capabilities;
  const isWithoutTeams = keysOnUsers !== "hidden" && teamsOnKeys === "hidden" && teams.length + nameless.length === 0;
  const listed = listedOnly.map(({ email }) => email).join(", ");
  const people = withoutName === 1 ? "person" : "people";
  const notes = [
    keysOnUsers === "hidden" && "The service does not show the keys of users: no team, membership or role is imported.",
    isWithoutTeams && "The service does not show which team a key belongs to: no team is imported.",
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

interface ShownTeam {
  readonly identifier: string;
  /** The name that most of its keys show, where one of them can be written. */
  readonly name: string | undefined;
  /** The account of most of its members, where it is known. */
  readonly account: string | undefined;
  readonly holders: readonly TeamHolder[];
}

/** Somebody with keys of one team, in the order in which the service shows them. */
interface TeamHolder {
  readonly user: ObservedUser;
  readonly keys: readonly ObservedKey[];
}

type AccountOf = (user: ObservedUser) => string | undefined;

/** Every team that a key of somebody shows and a roster can name, in the order of names, then of identifiers. */
function collectTeams(users: readonly ObservedUser[], accountOf: AccountOf) {
  const held = users.flatMap((user) => (isDeleted(user) ? [] : teamKeysOf(user)));
  const identified = [...groupBy(held, ({ identifier }) => identifier)];
  const teams = identified.map(([identifier, keys]) => identifiedTeam(identifier, keys, accountOf));
  const named = held.filter(({ identifier }) => identifier === undefined);
  return { teams: withNameOnlyKeys(teams, named, accountOf).sort(byName), nameless: withoutIdentifier(teams, named) };
}

type HeldTeamKey = ReturnType<typeof teamKeysOf>[number];

function teamKeysOf(user: ObservedUser) {
  return (user.keys ?? []).flatMap((key) => {
    const team = shownTeam(key);
    if (team === undefined || isDeleted(key) || isProjectKey(key)) return [];
    const { identifier, name } = team;
    return identifier !== undefined && textProblem(identifier) !== undefined ? [] : [{ user, key, identifier, name }];
  });
}

function identifiedTeam(identifier: string, keys: readonly HeldTeamKey[], accountOf: AccountOf): ShownTeam {
  const byUser = multimap(keys.map(({ user, key }) => [user, key]));
  const holders = [...byUser].map(([user, own]) => ({ user, keys: own }));
  const trusted = holders.filter(({ user }) => isOpen(user));
  const accounts = (trusted.length > 0 ? trusted : holders).flatMap(({ user }) => accountOf(user) ?? []);
  const names = keys.flatMap(({ name }) => (name === undefined ? [] : [writableName(name)]));
  return {
    identifier,
    name: mostFrequent(names.filter((name) => textProblem(name, maxNameLength) === undefined)),
    account: mostFrequent(accounts),
    holders,
  };
}

/** A key that names a team without its identifier belongs to the only team of that name. */
function withNameOnlyKeys(
  teams: readonly ShownTeam[],
  named: readonly HeldTeamKey[],
  accountOf: AccountOf,
): ShownTeam[] {
  if (named.length === 0) return [...teams];
  return teams.map((team) => {
    if (teams.some((other) => other !== team && hasSameName(other, team))) return team;
    const joining = named.filter(({ user, name }) => {
      const account = accountOf(user);
      const isElsewhere = account !== undefined && account !== team.account;
      return !isElsewhere && name !== undefined && foldName(name) === foldName(teamName(team));
    });
    return joining.length === 0 ? team : { ...team, holders: inServiceOrder(team.holders, joining) };
  });
}

function inServiceOrder(holders: readonly TeamHolder[], joining: readonly HeldTeamKey[]): readonly TeamHolder[] {
  const joined = new Set(joining.map(({ key }) => key));
  const own = new Set(holders.flatMap(({ keys }) => keys));
  const users = new Set([...holders.map(({ user }) => user), ...joining.map(({ user }) => user)]);
  return [...users].map((user) => {
    return { user, keys: (user.keys ?? []).filter((key) => own.has(key) || joined.has(key)) };
  });
}

function hasSameName(a: ShownTeam, b: ShownTeam): boolean {
  return a.account === b.account && foldName(teamName(a)) === foldName(teamName(b));
}

/** What the roster calls a team whose name the service does not show. */
function teamName({ name, identifier }: ShownTeam): string {
  return name ?? identifier;
}

function withoutIdentifier(teams: readonly ShownTeam[], named: readonly HeldTeamKey[]): readonly string[] {
  const identified = new Set(teams.map((team) => foldName(teamName(team))));
  const names = new Map<string, string>();
  for (const { name } of named) {
    if (name !== undefined && !identified.has(foldName(name))) names.set(foldName(name), name);
  }
  return [...names.values()].sort(byCodeUnit);
}

function byName(a: ShownTeam, b: ShownTeam): number {
  return byCodeUnit(foldName(teamName(a)), foldName(teamName(b))) || byCodeUnit(a.identifier, b.identifier);
}

interface TeamContext {
  /** The address under which the roster names a person; nothing where it does not name them. */
  readonly emailOf: (user: ObservedUser) => string | undefined;
  readonly judge: (key: ObservedKey) => ManageableRoles;
  /** `omit`: the service shows none. */
  readonly roles: "keep" | "omit";
}

interface TeamMemberRoles {
  readonly email: string;
  readonly roles: ManageableRoles;
}

/** A team with all its members, open only where somebody in it cannot be named. */
function importTeam(team: ShownTeam, ground: TeamContext): ImportedTeam {
  const members = teamMembers(team.holders, ground);
  const strangers = team.holders.filter((holder) => isUnnamedMember(holder, ground)).map(({ user }) => user.email);
  const unmanaged = members.flatMap(({ email, roles }) =>
    ground.roles === "keep" && "why" in roles ? [`${email} (${roles.why})`] : [],
  );
  const remarks = [
    team.name === undefined && "The service does not show the name of this team: its identifier is written instead.",
    strangers.length > 0 && `Open, because the roster cannot list ${strangers.join(", ")}.`,
    unmanaged.length > 0 && `The roles of ${unmanaged.join(", ")} are not managed, so the team has no \`roles\`.`,
  ];
  const managed = members.flatMap(({ roles }) => ("why" in roles ? [] : [roles.roles]));
  // Role sets are sorted lists, so that equal sets are equal texts.
  const usual = unmanaged.length > 0 ? undefined : mostFrequent(managed, (roles) => JSON.stringify(roles));
  return {
    name: teamName(team),
    identifier: team.identifier,
    open: strangers.length > 0,
    roles: usual,
    members: members.map(({ email, roles }) => {
      const isUsual = "why" in roles || (usual !== undefined && sameRoles(roles.roles, usual));
      return { email, roles: isUsual ? undefined : roles.roles };
    }),
    remarks: remarks.filter((remark) => remark !== false),
  };
}

function teamMembers(holders: readonly TeamHolder[], { emailOf, judge }: TeamContext): readonly TeamMemberRoles[] {
  const named = new Map<string, TeamMemberRoles>();
  for (const { user, keys } of holders) {
    const email = emailOf(user);
    if (email !== undefined && !named.has(email)) named.set(email, { email, roles: sharedRoles(keys.map(judge)) });
  }
  return [...named.values()].sort((a, b) => byCodeUnit(foldAddress(a.email), foldAddress(b.email)));
}

/** Somebody that a plan would call a member too many, without that being what the roster wants. */
function isUnnamedMember({ user, keys }: TeamHolder, { emailOf }: TeamContext): boolean {
  if (emailOf(user) !== undefined || !isOpen(user)) return false;
  return keys.some(({ status }) => accountStatus(status) !== "barred");
}

/** What occurs most often; of several, the first in the order of code units of their texts. */
function mostFrequent<T>(items: readonly T[], textOf: (item: T) => string = String): T | undefined {
  const ranked = [...groupBy(items, textOf)].sort(
    ([a, many], [b, more]) => more.length - many.length || byCodeUnit(a, b),
  );
  return ranked[0]?.[1][0];
}

/** A person of an account: as they are adopted, or not; and what of them is not, one sentence each. */
interface ImportedUserStatus {
  readonly user?: ImportedUser;
  readonly remarks: readonly string[];
}

/** Stands where the format asks for a name and the service shows none: a plan compares only what is shown. */
const unknownName = "unknown";

/** Judges people: they must be active or invited, be the only one of their address, and be writable. */
function userClassifier(users: readonly ObservedUser[]): (user: ObservedUser) => ImportedUserStatus {
  const namesakes = groupBy(users, ({ address }) => address);
  return (user) => {
    const why = notImportableReason(user, namesakes.get(user.address)?.length ?? 1);
    return why === undefined
      ? { user: importedUser(user), remarks: [...unwritableNotes(user), ...unusualAddressNotes(user)] }
      : { remarks: [`${user.email} ${why}.`] };
  };
}

function notImportableReason(user: ObservedUser, namesakes: number): string | undefined {
  const oneOfThem = user.identifier === undefined ? "" : `, one of them ${user.identifier}`;
  if (!isOpen(user)) return `is ${user.status}`;
  if (namesakes > 1)
    return `is the address of ${namesakes} users of the service${oneOfThem}; roster does not merge users`;
  if (textProblem(user.email, maxAddressLength) !== undefined || !looksLikeAddress(user.email))
    return "is not a valid e-mail address";
  if (textProblem(writableName(user.firstName), maxNameLength) !== undefined) return "has no usable first name";
  if (textProblem(writableName(user.lastName), maxNameLength) !== undefined) return "has no usable last name";
  return undefined;
}

function importedUser(user: ObservedUser): ImportedUser {
  const { address, email, title, externalIdentifier, source } = user;
  const isOwnAddress = externalIdentifier !== undefined && foldAddress(externalIdentifier) === address;
  return {
    address,
    email,
    firstName: writableName(user.firstName),
    lastName: writableName(user.lastName),
    title: isWritable(title) ? title : undefined,
    externalIdentifier: isWritable(externalIdentifier) && !isOwnAddress ? externalIdentifier : undefined,
    source: isWritable(source) ? source : undefined,
  };
}

function unwritableNotes(user: ObservedUser): readonly string[] {
  const fields = (["title", "externalIdentifier", "source"] as const).filter((field) => {
    return user[field] !== undefined && user[field] !== "" && !isWritable(user[field]);
  });
  return fields.map((field) => `The ${field} of ${user.email} cannot be written in a roster.`);
}

/** A plan finds them in the service; a validation of the files alone cannot know that they are there. */
function unusualAddressNotes({ email }: ObservedUser): readonly string[] {
  const fault = unsafeAddressReason(email);
  if (fault === undefined) return [];
  return [`The address ${email} ${fault}. \`roster validate\` rejects this user until you declare a key of the user.`];
}

function isWritable(text: string | undefined): text is string {
  return text !== undefined && textProblem(text) === undefined;
}

/** White space that cannot be written is made a space, which a plan does not take for a difference that matters. */
function writableName(name: string | undefined): string {
  if (name === undefined) return unknownName;
  return textProblem(name) === undefined ? name : name.trim().replace(/\s+/gu, " ");
}

/**
 * The account that the service shows for a user; else the only one whose details list them; else, since details may leave
 * somebody out, the only one that is left.
 */
function accountResolver(
  { users, accounts: read }: Snapshot,
  { accounts: adopted, areAll }: Pick<ImportInput, "accounts" | "areAll">,
) {
  const listing = multimap(listedMembers(read.values()));
  const possible = areAll ? adopted : adopted.filter((account) => read.get(account)?.members === undefined);
  const of = (user: ObservedUser): string | undefined => {
    if (user.account !== undefined) return user.account;
    const [only, second] = listing.get(user.address) ?? possible;
    return second === undefined ? only : undefined;
  };
  const unplaced = users.filter((user) => of(user) === undefined && accountStatus(user.status) !== "deleted");
  const several = unplaced.filter(({ address }) => listing.has(address));
  const unlisted = unplaced.filter(({ address }) => !listing.has(address));
  const hidden = possible.length > 1 ? unlisted : [];
  const elsewhere = possible.length > 1 ? 0 : unlisted.length;
  return {
    of,
    remarks: [
      ...unresolvedNote("The service lists in more than one account", several),
      ...unresolvedNote("The service does not show the account of", hidden),
      ...(elsewhere === 0 ? [] : [`Users in other accounts were left out: ${elsewhere}.`]),
    ],
  };
}

function unresolvedNote(what: string, people: readonly ObservedUser[]): readonly string[] {
  if (people.length === 0) return [];
  const named = people.slice(0, 10).map(({ email }) => email);
  const more = people.length > named.length ? ` and ${people.length - named.length} more` : "";
  return [`${what} ${named.join(", ")}${more}.`];
}

interface ImportedOwnKeys {
  readonly ownKeyRoles?: RoleSet | undefined;
  readonly keys: readonly ImportedKey[];
  /** One sentence for each key that is not adopted. */
  readonly remarks: readonly string[];
}

/** The key that a plan would take for the one created with the person, and the project keys by their prefix. */
function importOwnKeys(user: ObservedUser, judge: (key: ObservedKey) => ManageableRoles): ImportedOwnKeys {
  const own = shownOwnKey(user);
  const ownRoles = own === undefined ? undefined : judge(own);
  const others = (user.keys ?? []).filter(
    // A team without an identifier has a remark of its own.
    (key) => !isDeleted(key) && key !== own && (isProjectKey(key) || key.team === undefined || key.team === "none"),
  );
  const keys: ImportedKey[] = [];
  const remarks: string[] = [];
  for (const key of others) {
    const roles = isProjectKey(key) ? judge(key) : { why: unmanagedReason(key) };
    if ("why" in roles) remarks.push(unmanagedNote(key, user, roles.why));
    else keys.push({ prefix: key.prefix, owner: user.email, roles: roles.roles });
  }
  if (own === undefined || ownRoles === undefined) return { keys, remarks };
  if ("why" in ownRoles) return { keys, remarks: [...remarks, unmanagedNote(own, user, ownRoles.why)] };
  return { keys, remarks, ownKeyRoles: ownRoles.roles };
}

function unmanagedReason({ team }: ObservedKey): string {
  if (team === undefined) return "the service does not say which team it belongs to";
  return "it is not a project key, and it may not be this person's own key";
}

function unmanagedNote({ prefix }: ObservedKey, { email }: ObservedUser, why: string): string {
  return `The key ${prefix} of ${email} is not managed: ${why}.`;
}

/** Whether a plan could keep the roles of a key as they are, and where it cannot, why. */
type ManageableRoles = { readonly roles: RoleSet } | { readonly why: string };

/** Judges keys: their roles must be shown, known to the service, and the key must be the only one of its prefix. */
function roleReader({ users, roles }: Snapshot): (key: ObservedKey) => ManageableRoles {
  const known = roles.known === "unknown" ? undefined : new Set(roles.value.map(({ identifier }) => identifier));
  const byPrefix = groupBy(
    users.flatMap(({ keys = [] }) => keys),
    ({ prefix }) => prefix,
  );
  return (key) => {
    if (key.roles === undefined) return { why: "the service does not show its roles" };
    if ((byPrefix.get(key.prefix) ?? []).length > 1) return { why: "the service shows several keys with this prefix" };
    if (textProblem(key.prefix) !== undefined) return { why: "its prefix cannot be written in a roster" };
    if (key.roles.length > maxRoles) return { why: "it has more roles than a roster can give" };
    const strange = key.roles.find((role) => textProblem(role) !== undefined || known?.has(role) === false);
    if (strange !== undefined) return { why: `the service does not list its role ${strange}` };
    return { roles: key.roles };
  };
}

/** Several keys of one person in one team: which of them a plan takes is the service's order, so they must agree. */
function sharedRoles(judged: readonly ManageableRoles[]): ManageableRoles {
  const [first] = judged;
  if (first === undefined || "why" in first) return first ?? { why: "this person has no key of the team" };
  const other = judged.find((one) => "why" in one || !sameRoles(one.roles, first.roles));
  if (other === undefined) return first;
  return "why" in other ? other : { why: "this person has several keys of the team, with different roles" };
}

function isProjectKey({ kind }: ObservedKey): boolean {
  return kind?.trim().toLowerCase() === "project";
}

export interface ImportInput {
  readonly snapshot: Snapshot;
  /** Identifiers of the accounts whose people and teams are adopted. */
  readonly accounts: readonly string[];
  /** True where there are no others, so that everybody belongs to one of them. */
  readonly areAll: boolean;
  /** The prefix of the key that roster uses: its owner is left out. */
  readonly keyInUse?: string | undefined;
  /** People that the list of users shows and no search finds: a plan would take them for absent. */
  readonly listedOnly?: readonly ObservedUser[];
}

/** What a roster has to say so that a plan made from it is empty, account by account. */
export interface ImportedRoster {
  readonly accounts: readonly ImportedAccount[];
  /** What is not adopted and belongs to no account, one sentence each. */
  readonly remarks: readonly string[];
}

export interface ImportedAccount {
  readonly account: string;
  readonly users: ImportedSection<ImportedUser>;
  readonly teams: ImportedSection<ImportedTeam>;
  readonly keys: ImportedSection<ImportedKey>;
}

/** What is adopted, in the order in which it is written, and one sentence for each thing that is not. */
export interface ImportedSection<T> {
  readonly found: readonly T[];
  readonly remarks: readonly string[];
}

export interface ImportedUser extends Pick<DesiredUser, "address" | "email" | keyof Profile> {
  readonly ownKeyRoles?: RoleSet | undefined;
}

export interface ImportedTeam {
  readonly name: string;
  readonly identifier: string;
  /** True where the team has members who cannot be named. */
  readonly open: boolean;
  readonly roles?: RoleSet | undefined;
  /** Their roles only where they are not the team's. */
  readonly members: readonly { readonly email: string; readonly roles?: RoleSet | undefined }[];
  readonly remarks: readonly string[];
}

interface ImportedKey {
  readonly prefix: string;
  readonly owner: string;
  readonly roles: RoleSet;
}
