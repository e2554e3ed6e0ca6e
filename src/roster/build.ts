import { type EmailKey, hasLocalPartBeyondAscii, hasSingleLabelDomain, unsafeAddressReason } from "../model/address.ts";
import { groupBy, multimap } from "../model/collections.ts";
import { type DesiredRoles, formatPlace, type Located, reasonAt } from "../model/fact.ts";
import type { Diagnostic } from "../model/failure.ts";
import { maxAcceptDays } from "../model/finding.ts";
import type { DesiredKey } from "../model/key.ts";
import { daysAfter, daysBetween, type Roster } from "../model/roster.ts";
import { type DesiredTeam, disambiguatedTeamKey, teamKeyOf } from "../model/team.ts";
import type { DesiredUser, Leaver } from "../model/user.ts";
import { type RoleSet, sameRoles, type TeamKey } from "../model/values.ts";
import type { SourceValue } from "../yaml/decode.ts";
import { DiagnosticsCollector, type MapNode } from "../yaml/source-text.ts";
import { writeScalar } from "../yaml/write.ts";
import {
  type AccountSettings,
  decodeFile,
  type KeyEntry,
  type LeaverEntry,
  type RosterDocument,
  type SourceAddress,
  type TeamEntry,
  type UserEntry,
} from "./decode.ts";
import { isLocalError, type RosterDiagnostics } from "./diagnostics.ts";
import { hasEnded, isPeriod } from "./from-until.ts";
import {
  groupMembers,
  hasTooManyMemberships,
  isRosterUser,
  positionNames,
  type ResolvedGroup,
  type ResolvedMember,
  type ResolvedTeam,
  type RosterReferences,
  resolveTeam,
} from "./resolve-members.ts";
import { type ResolvedRoles, resolveRoles, unlessEmpty, untilReason } from "./resolve-roles.ts";

interface RosterFile {
  readonly file: string;
  readonly tree: MapNode;
}

export interface BuildResult {
  /** Absent if and only if a diagnostic is an error. */
  readonly roster?: Roster;
  /** Everything that is wrong, in the order of the files and of the places in them. */
  readonly diagnostics: readonly Diagnostic[];
}

interface BuildSettings extends AccountSettings {
  /** The day of this run in UTC, as in `2026-11-20`: whose `until` has come by then is a leaver. */
  readonly today: string;
  /** Left out where the service is asked: only then is it known who has to be created. */
  readonly newUsers?: "checked";
}

/** A roster whose references have been looked up; what the rules judge. */
interface ResolvedRoster extends Pick<RosterReferences, "today" | "log"> {
  /** Where no service is asked who is there, every user counts as one who is to be created. */
  readonly newUsers: "checked" | undefined;
  readonly draft: RosterDocument;
  readonly references: RosterReferences;
  readonly users: readonly ResolvedUser[];
  readonly teams: readonly ResolvedTeam[];
  readonly keys: readonly ResolvedKey[];
  /** Users whose `until` has come: told once the rules have judged. */
  readonly departed: readonly Leaver[];
}

interface ResolvedUser {
  readonly draft: UserEntry;
  readonly ownKeyRoles: ResolvedRoles | undefined;
}

interface ResolvedKey {
  readonly draft: KeyEntry;
  readonly roles: ResolvedRoles;
}

/** All files of a run, in roster order, as one roster: decoded, its references looked up, its rules held. */
export function buildRoster(files: readonly RosterFile[], settings: BuildSettings): BuildResult {
  const log: RosterDiagnostics = new DiagnosticsCollector("The roster");
  const resolution = checkFiles(files, settings, log);
  const diagnostics = log.diagnostics(files.map(({ file }) => file));
  return log.count > 0 ? { diagnostics } : { roster: assembleRoster(resolution), diagnostics };
}

/** What is wrong with some files of a roster whatever the others hold. */
export function localErrors(files: readonly RosterFile[], settings: BuildSettings): readonly Diagnostic[] {
  const log = new DiagnosticsCollector("The roster", undefined, isLocalError);
  checkFiles(files, settings, log);
  return log.diagnostics(files.map(({ file }) => file));
}

function checkFiles(files: readonly RosterFile[], settings: BuildSettings, log: RosterDiagnostics): ResolvedRoster {
  const { today, newUsers } = settings;
  const drafts = files.flatMap(({ tree }) => decodeFile(tree, settings, log) ?? []);
  const draft: RosterDocument = {
    accounts: drafts.flatMap(({ accounts }) => accounts),
    users: drafts.flatMap(({ users }) => users),
    leavers: drafts.flatMap(({ leavers }) => leavers),
    teams: drafts.flatMap(({ teams }) => teams),
    keys: drafts.flatMap(({ keys }) => keys),
    roleSets: drafts.flatMap(({ roleSets }) => roleSets),
    groups: drafts.flatMap(({ groups }) => groups),
    accept: drafts.flatMap(({ accept }) => accept),
  };
  const resolution = resolveRoster(draft, { today, newUsers }, log);
  for (const rule of rosterRules) rule(resolution);
  // After the rules, so that a day that passes never makes a roster invalid.
  const { teams, ...rest } = withoutOffboarded(resolution);
  return { ...rest, teams: teams.map((team) => withMembersOfToday(team, resolution.references)) };
}

/** Looks up what names refer to, with an error for each that refers to nothing. */
function resolveRoster(
  draft: RosterDocument,
  { today, newUsers }: Pick<ResolvedRoster, "today" | "newUsers">,
  log: RosterDiagnostics,
): ResolvedRoster {
  const addressOf = ({ email }: UserEntry | LeaverEntry) => email.address;
  const groups = new Map<string, ResolvedGroup>();
  const references: RosterReferences = {
    today,
    log,
    users: firstBy(draft.users, addressOf),
    leavers: firstBy(draft.leavers, addressOf),
    groups,
    roleSets: firstBy(draft.roleSets, ({ name }) => name.value),
  };
  for (const group of draft.groups) {
    const resolved = { name: group.name, people: groupMembers(group, references) };
    if (!groups.has(group.name.value)) groups.set(group.name.value, resolved);
  }
  return {
    today,
    log,
    newUsers,
    draft,
    references,
    users: draft.users.map((user) => {
      return { draft: user, ownKeyRoles: user.ownKeyRoles && resolveRoles(user.ownKeyRoles, references) };
    }),
    teams: hasTooManyMemberships(draft, references) ? [] : draft.teams.map((team) => resolveTeam(team, references)),
    keys: draft.keys.map((key) => ({ draft: key, roles: resolveRoles(key.roles, references) })),
    departed: [],
  };
}

function firstBy<Key, T>(entries: readonly T[], keyOf: (entry: T) => Key): ReadonlyMap<Key, T> {
  const found = new Map<Key, T>();
  for (const one of entries) if (!found.has(keyOf(one))) found.set(keyOf(one), one);
  return found;
}

/** What in a roster cannot be meant as it is written. Every rule of the format that needs more than one place to judge. */
const rosterRules: readonly ((resolution: ResolvedRoster) => void)[] = [
  checkAddresses,
  checkDuplicatePeople,
  checkUsersAndLeavers,
  checkUserDates,
  checkLeavingDates,
  checkFormerAddresses,
  checkDistinctFrom,
  checkDuplicateTeams,
  checkDuplicateNames,
  checkAppointedMembers,
  checkOnRemoval,
  checkKeyDeclarations,
  checkLeaverKeys,
  checkRoleSetNames,
  checkAcceptDates,
];

/** One name, compared folded, is one team of its account, unless each team of that name gives its identifier. */
function checkDuplicateTeams({ draft, log }: ResolvedRoster): void {
  for (const teams of groupBy(draft.teams, ({ account, name }) => teamKeyOf(account, name.value)).values()) {
    const [first, ...others] = teams;
    if (teams.every(({ identifier }) => identifier !== undefined)) continue;
    for (const { name, account } of others) {
      const where = formatPlace(first.name.at.place);
      const message = `The team \`${name.value}\` is listed twice in the account \`${account}\`; first at ${where}.`;
      const hint = "Merge the two or rename one. If the service has two such teams, add `identifier:` to both.";
      log.error(name.at, "duplicate", message, hint);
    }
  }
}

/** An identifier is one team of the service, and a group or role set is defined once, in all files of the roster. */
function checkDuplicateNames({ draft, log }: ResolvedRoster): void {
  const identifiers = draft.teams.flatMap(({ identifier }) => identifier ?? []);
  const nameOf = ({ name }: { readonly name: SourceValue<string> }) => name;
  const merge = "Merge the two, or rename one.";
  reportSecond(identifiers, (name) => `Two teams have the identifier ${name}`, "Remove the wrong one.", log);
  reportSecond(draft.groups.map(nameOf), (name) => `The group ${name} is defined twice`, merge, log);
  reportSecond(draft.roleSets.map(nameOf), (name) => `The role set ${name} is defined twice`, merge, log);
}

function reportSecond(
  names: readonly SourceValue<string>[],
  messageOf: (name: string) => string,
  hint: string,
  log: RosterDiagnostics,
): void {
  const seen = new Map<string, SourceValue<string>>();
  for (const name of names) {
    const first = seen.get(name.value);
    if (first === undefined) seen.set(name.value, name);
    else {
      const message = `${messageOf(`\`${name.value}\``)}; first at ${formatPlace(first.at.place)}.`;
      log.error(name.at, "duplicate", message, hint);
    }
  }
}

/** A team's administrator and its first member are members of it and belong to its account. A first member gets no key but the team's. */
function checkAppointedMembers({ teams, references, log }: ResolvedRoster): void {
  for (const { draft: team, members, isComplete } of teams) {
    for (const position of ["admin", "firstMember"] as const) {
      const person = team[position];
      if (person === undefined || !isRosterUser(person, references, position)) continue;
      const who = `The ${positionNames[position]} \`${person.value}\``;
      const user = references.users.get(person.address);
      if (isComplete && !members.has(person.address)) {
        const message = `${who} is not a member of the team \`${team.name.value}\`.`;
        log.error(person.at, "not-a-member", message, `Add \`- { user: ${person.value} }\` to its members.`);
      }
      // A file that names no account has an error of its own.
      if (user?.account && team.account !== "" && user.account !== team.account) {
        const message = `${who} belongs to the account \`${user.account}\`, the team to \`${team.account}\`.`;
        log.error(person.at, "other-account", message, "Choose a member of the team's own account.");
      }
      if (position === "firstMember" && user?.ownKeyRoles !== undefined) {
        const { file, line } = user.ownKeyRoles.at.place;
        const message = `${who} has \`ownKeyRoles\` (line ${line} of ${file}), but a first member gets only the team's key.`;
        const hint = "Remove the `ownKeyRoles`, or choose another first member.";
        log.error(person.at, "contradiction", message, hint);
      }
    }
  }
}

/** An open team has no extra members, so that `onRemoval` has no meaning. */
function checkOnRemoval({ draft, log }: ResolvedRoster): void {
  for (const { name, open, onRemoval } of draft.teams) {
    if (!open || onRemoval === undefined) continue;
    const message = `The team \`${name.value}\` is open: no member is removed, so \`onRemoval\` has no effect.`;
    log.error(onRemoval.at, "contradiction", message, "Remove `open: true` or `onRemoval`.");
  }
}

/** One declaration of a prefix: under `keys`, as a user's own key, or as a member's team key. */
interface DeclaredKeyPlace {
  readonly as: "listed" | "own" | "team";
  readonly prefix: SourceValue<string>;
  readonly owner: EmailKey | undefined;
  readonly team: TeamEntry | undefined;
  /** Absent where this declaration does not manage the key's roles. */
  readonly roles: RoleSet | undefined;
}

/** A prefix is one key: of one person, of one team at the most, and with one list of roles. */
function checkKeyDeclarations(resolution: ResolvedRoster): void {
  const { log } = resolution;
  const first = new Map<string, Map<DeclaredKeyPlace["as"], DeclaredKeyPlace>>();
  for (const claim of declarationsOf(resolution)) {
    const others = first.get(claim.prefix.value) ?? new Map<DeclaredKeyPlace["as"], DeclaredKeyPlace>();
    first.set(claim.prefix.value, others);
    for (const other of others.values()) if (reportConflict(claim, other, log)) break;
    if (!others.has(claim.as)) others.set(claim.as, claim);
  }
}

function* declarationsOf({ users, teams, keys }: ResolvedRoster): Iterable<DeclaredKeyPlace> {
  for (const { draft, ownKeyRoles } of users) {
    const { key: prefix, email } = draft;
    if (prefix) yield { as: "own", prefix, owner: email.address, team: undefined, roles: ownKeyRoles?.roles };
  }
  for (const { draft: team, members } of teams) {
    for (const { key: prefix, address: owner, roles } of members.values())
      if (prefix) yield { as: "team", prefix, owner, team, roles };
  }
  for (const { draft, roles } of keys) {
    const { prefix, owner } = draft;
    yield { as: "listed", prefix, owner: owner?.address, team: undefined, roles: roles.roles };
  }
}

function reportConflict(claim: DeclaredKeyPlace, other: DeclaredKeyPlace, log: RosterDiagnostics): boolean {
  const prefix = `The key \`${claim.prefix.value}\``;
  const where = formatPlace(other.prefix.at.place);
  const hint = "Correct the wrong prefix, or remove one of the two.";
  const duplicate = (what: string) => {
    log.error(claim.prefix.at, "duplicate", `${prefix} ${what}; the first at ${where}.`, hint);
    return true;
  };
  if (claim.owner && other.owner && claim.owner !== other.owner)
    return duplicate("is declared as the key of two people");
  if (claim.team && other.team && claim.team !== other.team) return duplicate("is declared as the key of two teams");
  if (claim.roles && other.roles && !sameRoles(claim.roles, other.roles)) {
    const message = `${prefix} has different roles here and at ${where}.`;
    log.error(claim.prefix.at, "conflicting-roles", message, "Write its roles in one place.");
    return true;
  }
  return claim.as === "listed" && other.as === "listed" ? duplicate("is listed twice") : false;
}

/** A plain name is a role of the service; where a role set has it too, the role set may be meant. */
function checkRoleSetNames({ draft, references, log }: ResolvedRoster): void {
  if (references.roleSets.size === 0) return;
  const written = [
    ...draft.users.map(({ ownKeyRoles }) => ownKeyRoles),
    ...draft.teams.flatMap(({ roles, members }) => [roles, ...members.map((member) => member.roles)]),
    ...draft.keys.map(({ roles }) => roles),
  ];
  for (const list of written) {
    for (const name of new Set(list?.roles)) {
      if (list === undefined || !references.roleSets.has(name)) continue;
      const message = `\`${name}\` is read as a role here, but it is also the name of a role set.`;
      const hint = `Write \`{ set: ${writeScalar(name)} }\` to use the role set, or rename the role set.`;
      log.warning(list.at, "role-set-as-role", message, hint);
    }
  }
}

/** One address, compared folded, is one user or one leaver. */
function checkDuplicatePeople({ draft, references, log }: ResolvedRoster): void {
  const report = (what: string, { email }: UserEntry | LeaverEntry, first: UserEntry | LeaverEntry | undefined) => {
    if (first === undefined || first.email === email) return;
    const message = `The ${what} \`${email.value}\` is listed twice; first at ${formatPlace(first.email.at.place)}.`;
    log.error(email.at, "duplicate", message, "Remove one of the two.");
  };
  for (const user of draft.users) report("user", user, references.users.get(user.email.address));
  for (const leaver of draft.leavers) report("leaver", leaver, references.leavers.get(leaver.email.address));
}

/** Nobody leaves before they start. */
function checkUserDates({ draft, log }: ResolvedRoster): void {
  for (const user of draft.users) if (user.until !== undefined) isPeriod(user, user.email.value, log);
}

/** Only a plan knows what is about a privileged role or a guard. */
function checkAcceptDates({ draft, today, log }: ResolvedRoster): void {
  const days = maxAcceptDays({});
  const latest = daysAfter(today, days);
  const guarded = daysAfter(today, maxAcceptDays({ guarded: true }));
  const hint = `Write a date up to ${latest}, or up to ${guarded} for a privileged role or a guard.`;
  for (const { until } of draft.accept) {
    if (until.value <= latest) continue;
    const message = `This entry accepts nothing: ${until.value} is more than ${days} days ahead.`;
    log.warning(until.at, "bad-value", message, hint);
  }
}

/** A former address leads to one person alone. */
function checkFormerAddresses({ draft, references, log }: ResolvedRoster): void {
  const former = new Map<EmailKey, SourceAddress>();
  for (const { email, previously } of draft.users) {
    for (const one of previously) {
      const report = (what: string, hint: string) =>
        log.error(one.at, "duplicate", `The former address \`${one.value}\` ${what}.`, hint);
      const owner = references.users.get(one.address)?.email;
      const leaver = references.leavers.get(one.address)?.email;
      const first = former.get(one.address);
      if (owner?.address === email.address)
        report("is also this user's current address", "Remove it from `previously`.");
      else if (owner !== undefined)
        report(`is the address of the user at ${formatPlace(owner.at.place)}`, "Remove it from `previously`.");
      else if (leaver !== undefined)
        report(
          `is the address of a leaver (${formatPlace(leaver.at.place)})`,
          "If the leaver is this user, remove the leaver. Otherwise move the address from `previously` to `distinctFrom`.",
        );
      else if (first !== undefined)
        report(`is listed twice; first at ${formatPlace(first.at.place)}`, "Remove one of the two.");
      else former.set(one.address, one);
    }
  }
}

/** Whom somebody is distinct from is somebody else, and is named once. */
function checkDistinctFrom({ draft, log }: ResolvedRoster): void {
  for (const { email, previously, distinctFrom } of draft.users) {
    if (distinctFrom.length === 0) continue;
    const own = new Set<EmailKey>([email.address, ...previously.map(({ address }) => address)]);
    const seen = new Set<EmailKey>();
    for (const { address, value, at } of distinctFrom) {
      if (own.has(address)) {
        const message = `\`${value}\` is this user's own current or former address.`;
        log.error(at, "duplicate", message, "Write another person's address, or remove it.");
      } else if (seen.has(address)) {
        log.error(at, "duplicate", `\`${value}\` is listed twice.`, "Remove one of the two.");
      }
      seen.add(address);
    }
  }
}

/**
 * Where no service is asked, a user without a declared key counts as one who is to be created, and needs an address that nobody
 * misreads. Any other person may be in the service under any address, so that an unusual one is a warning: it may be a slip.
 */
function checkAddresses(resolution: ResolvedRoster): void {
  const { draft, newUsers, today, log } = resolution;
  const holders = newUsers === undefined ? new Set() : keyHolders(resolution);
  for (const { email, until, previously, distinctFrom } of draft.users) {
    const isLeaver = until !== undefined && hasEnded({ until }, today);
    if (isLeaver) warnAboutAddress(email, log);
    else if (newUsers !== undefined && holders.has(email.address)) warnAboutAddress(email, log);
    else if (newUsers !== undefined) checkNewUserAddress(email, log);
    for (const other of [...previously, ...distinctFrom]) warnAboutAddress(other, log);
  }
  for (const { email } of draft.leavers) warnAboutAddress(email, log);
}

function checkNewUserAddress({ value, at }: SourceAddress, log: RosterDiagnostics): void {
  const fault = unsafeAddressReason(value);
  const message = `roster does not create \`${value}\``;
  if (fault !== undefined) {
    const hint = "Correct it. If the service already has this user, declare a key of the user: `key: PREFIX`.";
    log.error(at, "unsafe-address", `${message}: the address ${fault}.`, hint);
  } else if (hasSingleLabelDomain(value)) {
    log.error(at, "unsafe-address", `${message}: its domain has no dot.`, "Write the full domain.");
  } else if (hasLocalPartBeyondAscii(value)) {
    const letters = `\`${value}\` has letters beyond ASCII before the \`@\`. Many mail servers do not deliver to it.`;
    log.warning(at, "unsafe-address", letters, "Check each letter: some letters look alike.");
  }
}

function warnAboutAddress({ value, at }: SourceAddress, log: RosterDiagnostics): void {
  const fault = unsafeAddressReason(value);
  if (fault === undefined) return;
  const message = `The address \`${value}\` ${fault}. Such addresses are rare.`;
  log.warning(at, "unusual-address", message, "Check that the service shows exactly this address, or correct it.");
}

/** A person who has a key is in the service. */
function keyHolders({ draft, teams, users }: ResolvedRoster): ReadonlySet<EmailKey> {
  const holders = new Set<EmailKey>();
  for (const { draft: user } of users) if (user.key !== undefined) holders.add(user.email.address);
  for (const { members } of teams)
    for (const { key, address } of members.values()) if (key !== undefined) holders.add(address);
  for (const { owner } of draft.keys) if (owner !== undefined) holders.add(owner.address);
  return holders;
}

/** Nobody is to have access and to hold nothing at once. */
function checkUsersAndLeavers({ references, log }: ResolvedRoster): void {
  for (const { email } of references.leavers.values()) {
    const user = references.users.get(email.address);
    if (user === undefined) continue;
    const message = `\`${email.value}\` is a leaver here and a user at ${formatPlace(user.email.at.place)}.`;
    const hint = "Remove the `leavers` entry if this person came back; otherwise remove the `users` entry.";
    log.error(email.at, "contradiction", message, hint);
  }
}

/** A person who is listed as a leaver is one at once. A day of grace is for places where tomorrow has begun. */
function checkLeavingDates({ draft, today, log }: ResolvedRoster): void {
  for (const { email, since } of draft.leavers) {
    if (since === undefined || daysBetween(today, since.value) <= 1) continue;
    const message = `\`${email.value}\` leaves on ${since.value}, but a leaver loses all roles at once.`;
    const hint = `Keep this person under \`users\` with \`until: ${since.value}\`.`;
    log.error(since.at, "contradiction", message, hint);
  }
}

/** A leaver's key may be listed, so that its prefix is known, but with no roles. */
function checkLeaverKeys({ keys, references, log }: ResolvedRoster): void {
  for (const { draft, roles } of keys) {
    const leaver = draft.owner && references.leavers.get(draft.owner.address);
    if (leaver === undefined || roles.roles.length === 0 || references.users.has(leaver.email.address)) continue;
    const where = formatPlace(leaver.email.at.place);
    const message = `The key \`${draft.prefix.value}\` gives roles to \`${leaver.email.value}\`, a leaver (${where}).`;
    log.error(roles.at, "leaver-in-use", message, "Write `roles: []`, or correct the owner.");
  }
}

/** A user whose `until` has come. */
type DepartedUser = UserEntry & { readonly until: SourceValue<string> };

/** Takes everybody whose `until` has come out of the places that the roster still gives them, and tells each of these. */
function withoutOffboarded(resolution: ResolvedRoster): ResolvedRoster {
  const { draft, references, users, teams, keys, today, log } = resolution;
  const leaving = draft.users.filter((user): user is DepartedUser => user.until !== undefined && hasEnded(user, today));
  if (leaving.length === 0) return resolution;
  const gone = new Map(
    leaving.flatMap((user) => [user.email, ...user.previously].map(({ address }) => [address, user] as const)),
  );
  /** The person that a place names, unless they have left, which is reported. */
  const unlessGone = (person: SourceAddress | undefined, where: keyof typeof positionNames) => {
    const user = person && gone.get(person.address);
    if (person === undefined || user === undefined) return person;
    const message = `The ${positionNames[where]} \`${person.value}\` is a leaver ${sinceText(user)}; this entry is ignored.`;
    log.warning(person.at, "until-reached", message, "Remove this entry.");
    return undefined;
  };
  const members = teams.flatMap((team) => [...team.members.values()]);
  const keysOf = multimap(
    members.flatMap(({ address, key }) => {
      const user = gone.get(address);
      return user === undefined || key === undefined ? [] : [[user, key] as const];
    }),
  );
  const byPrefix = new Map<string, DepartedUser>();
  for (const user of leaving) {
    const known = new Set([user.key, ...(keysOf.get(user) ?? [])].flatMap((key) => key?.value ?? []));
    for (const prefix of known) byPrefix.set(prefix, user);
    reportOffboardedUser(user, [...known], log);
  }
  for (const { people } of references.groups.values()) for (const person of people) unlessGone(person, "group");
  return {
    ...resolution,
    users: users.filter((user) => !gone.has(user.draft.email.address)),
    teams: teams.map((team) => {
      for (const member of team.draft.members) if (member.is === "user") unlessGone(member.user, "member");
      const admin = unlessGone(team.draft.admin, "admin");
      const firstMember = unlessGone(team.draft.firstMember, "firstMember");
      const members = new Map([...team.members].filter(([address]) => !gone.has(address)));
      return { ...team, members, draft: { ...team.draft, admin, firstMember } };
    }),
    keys: keys.map((key) => {
      const { owner, prefix } = key.draft;
      const user = (owner && gone.get(owner.address)) ?? byPrefix.get(prefix.value);
      return user === undefined || key.roles.roles.length === 0 ? key : withoutRoles(key, user, log);
    }),
    departed: leaving.flatMap((user) => leaversOf(user, keysOf.get(user) ?? [])),
  };
}

/** One for each address of theirs: the service may know them under a former one. */
function leaversOf(user: DepartedUser, teamKeys: readonly SourceValue<string>[]): readonly Leaver[] {
  const { at, account, email, previously, until, key, ownership } = user;
  return [email, ...previously].map((address) => ({
    address: address.address,
    email: address.value,
    account,
    since: until.value,
    ownership,
    key: key && located(key),
    by: "until",
    teamKeys: teamKeys.map(located),
    place: until.at.place,
    because: [untilReason(until), reasonAt(at.place, "user")],
  }));
}

/** A listed key of somebody who has gone, by its owner or by its prefix, has no roles any more. */
function withoutRoles(key: ResolvedKey, user: DepartedUser, log: RosterDiagnostics): ResolvedKey {
  const message = `The key \`${key.draft.prefix.value}\` belongs to \`${user.email.value}\`, a leaver ${sinceText(user)}; it is treated as \`roles: []\`.`;
  const hint = "Write `roles: []`. If the key belongs to another user, correct the owner or the prefix.";
  log.warning(key.roles.at, "until-reached", message, hint);
  return { ...key, roles: { ...key.roles, roles: [], endings: [], through: [untilReason(user.until)] } };
}

/** Tells of a user who is a leaver from today on, with the lines that say so for good. */
function reportOffboardedUser(
  { email, previously, until }: DepartedUser,
  prefixes: readonly string[],
  log: RosterDiagnostics,
): void {
  const message = `\`until\` of \`${email.value}\` has passed: this user is a leaver since ${until.value}.`;
  const people = [email, ...previously].map(({ value }) => `{ email: ${writeScalar(value)}, since: ${until.value} }`);
  const owner = writeScalar(email.value);
  const keys = prefixes.map((prefix) => `{ prefix: ${writeScalar(prefix)}, owner: ${owner}, roles: [] }`);
  const kept = keys.length === 0 ? "" : `, and under \`keys\`: ${quotedEntries(keys)}`;
  log.warning(until.at, "until-reached", message, `Write under \`leavers\` instead: ${quotedEntries(people)}${kept}.`);
}

function quotedEntries(written: readonly string[]): string {
  return written.map((entry) => `\`- ${entry}\``).join(", ");
}

function sinceText({ until }: DepartedUser): string {
  return `since ${until.value} (${formatPlace(until.at.place)})`;
}

/** Takes those out of a team whose membership does not count today, and tells of each that has ended. */
function withMembersOfToday(team: ResolvedTeam, { users, today, log }: RosterReferences): ResolvedTeam {
  const members = new Map<EmailKey, ResolvedMember>();
  const ended = new Map<EmailKey, Located<string>>();
  const upcoming = new Map<EmailKey, Located<string>>();
  for (const [address, member] of team.members) {
    const { membership } = member;
    switch (membership.is) {
      case "counting":
        members.set(address, member);
        break;
      case "to-come":
        upcoming.set(address, located(membership.from));
        break;
      case "ended": {
        const { value, at } = membership.until;
        ended.set(address, located(membership.until));
        const message = `\`until\` of the member \`${address}\` has passed: the membership ended on ${value}.`;
        log.warning(at, "until-reached", message, "Remove the member in the service, and then this entry.");
      }
    }
  }
  if (members.size === team.members.size) return team;
  // An administrator who has not started stays: the team waits for them.
  const startsLater = ({ address }: SourceAddress) => (users.get(address)?.from?.value ?? "") > today;
  const unlessOut = (person: SourceAddress | undefined) =>
    person !== undefined && team.members.has(person.address) && !members.has(person.address) && !startsLater(person)
      ? undefined
      : person;
  const { admin, firstMember } = team.draft;
  const draft = { ...team.draft, admin: unlessOut(admin), firstMember: unlessOut(firstMember) };
  return { ...team, draft, members, ended, upcoming };
}

function assembleRoster({ today, draft, users, departed, teams, keys }: ResolvedRoster): Roster {
  const accounts = new Map<string, Located<string>>();
  for (const account of draft.accounts) if (!accounts.has(account.value)) accounts.set(account.value, account);
  const keyOf = teamKeys(teams);
  return {
    accounts: [...accounts.values()],
    users: new Map(users.map((user) => [user.draft.email.address, rosterUser(user, today)])),
    leavers: new Map([...draft.leavers.map(listedLeaver), ...departed].map((one) => [one.address, one])),
    teams: teams.map((team) => rosterTeam(team, keyOf(team))),
    keys: keys.map(rosterKey),
    roleSets: new Map(draft.roleSets.map(({ name, roles }) => [name.value, { value: roles, place: name.at.place }])),
    accept: draft.accept.map(({ at, until, ...entry }) => ({ ...entry, until: until.value, place: at.place })),
  };
}

export const emptyRoster: Roster = {
  accounts: [],
  users: new Map(),
  leavers: new Map(),
  teams: [],
  keys: [],
  roleSets: new Map(),
  accept: [],
};

function rosterUser({ draft, ownKeyRoles }: ResolvedUser, today: string): DesiredUser {
  const { at, email, firstName, lastName, account, title, externalIdentifier, source, key, from, until } = draft;
  return {
    address: email.address,
    email: email.value,
    firstName,
    lastName,
    account,
    previously: draft.previously.map(locatedAddress),
    distinctFrom: draft.distinctFrom.map(locatedAddress),
    title,
    externalIdentifier,
    source,
    ownKeyRoles: ownKeyRoles && desiredRoles(ownKeyRoles),
    key: key && located(key),
    from: from && from.value > today ? located(from) : undefined,
    until: until && located(until),
    ownership: draft.ownership,
    place: at.place,
    because: [reasonAt(at.place, "user"), ...draft.defaults],
  };
}

function desiredRoles({ roles, at, through, endings }: ResolvedRoles): DesiredRoles {
  const because = [reasonAt(at.place, "own-key-roles"), ...through];
  return { value: roles, place: at.place, because, endings: unlessEmpty(endings) };
}

function listedLeaver({ at, email, account, since, ownership }: LeaverEntry): Leaver {
  return {
    address: email.address,
    email: email.value,
    account,
    since: since?.value,
    ownership,
    by: "leavers",
    teamKeys: [],
    place: at.place,
    because: [reasonAt(at.place, "leaver")],
  };
}

/** Teams that share a name differ in their identifiers, which the rules require. */
function teamKeys(teams: readonly ResolvedTeam[]): (team: ResolvedTeam) => TeamKey {
  const plainKey = ({ draft }: ResolvedTeam) => teamKeyOf(draft.account, draft.name.value);
  const shared = groupBy(teams, plainKey);
  return (team) => {
    const { account, name, identifier } = team.draft;
    const isTwin = identifier !== undefined && (shared.get(plainKey(team)) ?? []).length > 1;
    return isTwin ? disambiguatedTeamKey(account, name.value, identifier.value) : plainKey(team);
  };
}

function rosterTeam({ draft, members, ended, upcoming }: ResolvedTeam, key: TeamKey): DesiredTeam {
  const { at, name, account, identifier, admin, firstMember, onRemoval, ownership } = draft;
  return {
    key,
    name: name.value,
    account,
    previously: draft.previously.map(located),
    open: draft.open,
    onRemoval: onRemoval?.value ?? "report",
    members: [...members.values()].map(rosterMember),
    identifier: identifier && located(identifier),
    admin: admin && locatedAddress(admin),
    firstMember: firstMember && locatedAddress(firstMember),
    ended: ended?.size ? ended : undefined,
    upcoming: upcoming?.size ? upcoming : undefined,
    ownership,
    onRemovalAt: onRemoval && reasonAt(onRemoval.at.place, "on-removal"),
    place: at.place,
    because: [reasonAt(at.place, "team", { name: name.value }), ...draft.defaults],
  };
}

function rosterMember({ address, roles, endings, membership, key, ownership, because, alsoBy }: ResolvedMember) {
  const until = membership.is === "counting" ? membership.until : undefined;
  return {
    address,
    roles,
    until: until && located(until),
    key: key && located(key),
    ownership,
    endings,
    because,
    alsoBy,
  };
}

function rosterKey({ draft, roles }: ResolvedKey): DesiredKey {
  const { prefix, owner, at, ownership } = draft;
  return {
    prefix: prefix.value,
    roles: roles.roles,
    endings: unlessEmpty(roles.endings),
    owner: owner && locatedAddress(owner),
    ownership,
    place: at.place,
    because: [reasonAt(at.place, "key"), ...roles.through],
  };
}

function locatedAddress({ address, at }: SourceAddress): Located<EmailKey> {
  return { value: address, place: at.place };
}

function located<T>({ value, at }: SourceValue<T>): Located<T> {
  return { value, place: at.place };
}
