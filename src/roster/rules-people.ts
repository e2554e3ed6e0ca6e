import {
  type FoldedAddress,
  hasLocalPartBeyondAscii,
  hasSingleLabelDomain,
  unsafeAddressReason,
} from "../model/address.ts";
import { formatPlace } from "../model/fact.ts";
import { daysBetween } from "../model/roster.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import type { LeaverEntry, SourceAddress, UserEntry } from "./document.ts";
import type { NewUserRules, ResolvedRoster } from "./resolve.ts";
import { isPeriod } from "./resolve-roles.ts";

/** One address, compared folded, is one user. */
export function checkDuplicateUsers({ draft, references }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const user of draft.users) {
    const first = references.users.get(user.email.address);
    if (first === undefined || first === user) continue;
    const message = `The user \`${user.email.value}\` is listed twice; first at ${formatPlace(first.email.at.place)}.`;
    log.error(user.email.at, "duplicate-user", message, "Remove one of the two.");
  }
}

/** One address, compared folded, is one leaver. */
export function checkDuplicateLeavers({ draft, references }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const leaver of draft.leavers) {
    const first = references.leavers.get(leaver.email.address);
    if (first === undefined || first === leaver) continue;
    const message = `The leaver \`${leaver.email.value}\` is listed twice; first at ${formatPlace(first.email.at.place)}.`;
    log.error(leaver.email.at, "duplicate-leaver", message, "Remove one of the two.");
  }
}

/** Nobody is to have access and to hold nothing at once. */
export function checkUsersAndLeavers({ references }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const { email } of references.leavers.values()) {
    const user = references.users.get(email.address);
    if (user === undefined) continue;
    const message = `\`${email.value}\` is a leaver here and a user at ${formatPlace(user.email.at.place)}.`;
    const hint = "Remove the `leavers` entry if this person came back; otherwise remove the `users` entry.";
    log.error(email.at, "user-and-leaver", message, hint);
  }
}

/** Nobody leaves before they start. */
export function checkUserDates({ draft }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const user of draft.users) isPeriod({ ...user, what: user.email.value }, log);
}

/** A person who is listed as a leaver is one at once. A day of grace is for places where tomorrow has begun. */
export function checkLeavingDates({ draft, today }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const { email, since } of draft.leavers) {
    if (since === undefined || daysBetween(today, since.value) <= 1) continue;
    const message = `\`${email.value}\` leaves on ${since.value}, but a leaver loses all roles at once.`;
    const hint = `Keep this person under \`users\` with \`until: ${since.value}\`.`;
    log.error(since.at, "since-in-future", message, hint);
  }
}

/** A former address leads to one person alone. */
export function checkFormerAddresses({ draft, references }: ResolvedRoster, log: RosterDiagnostics): void {
  const former = new Map<FoldedAddress, SourceAddress>();
  for (const user of draft.users) {
    for (const address of user.previously) {
      const owner = references.users.get(address.address);
      const leaver = references.leavers.get(address.address);
      const first = former.get(address.address);
      if (owner !== undefined) reportTakenAddress(address, user, owner, log);
      else if (leaver !== undefined) reportLeaverAddress(address, leaver, log);
      else if (first !== undefined) reportDuplicateAddress(address, first, log);
      else former.set(address.address, address);
    }
  }
}

function reportTakenAddress(address: SourceAddress, user: UserEntry, owner: UserEntry, log: RosterDiagnostics): void {
  const isOwn = user.email.address === owner.email.address;
  const message = isOwn
    ? `The former address \`${address.value}\` is also this user's current address.`
    : `The former address \`${address.value}\` is the address of the user at ${formatPlace(owner.email.at.place)}.`;
  log.error(address.at, "duplicate-address", message, "Remove it from `previously`.");
}

function reportLeaverAddress(address: SourceAddress, leaver: LeaverEntry, log: RosterDiagnostics): void {
  const where = formatPlace(leaver.email.at.place);
  const message = `The former address \`${address.value}\` is the address of a leaver (${where}).`;
  const hint =
    "If the leaver is this user, remove the leaver. Otherwise move the address from `previously` to `distinctFrom`.";
  log.error(address.at, "duplicate-address", message, hint);
}

function reportDuplicateAddress(address: SourceAddress, first: SourceAddress, log: RosterDiagnostics): void {
  const message = `The former address \`${address.value}\` is listed twice; first at ${formatPlace(first.at.place)}.`;
  log.error(address.at, "duplicate-address", message, "Remove one of the two.");
}

/** Whom somebody is distinct from is somebody else, and is named once. */
export function checkDistinctFrom({ draft }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const { email, previously, distinctFrom } of draft.users) {
    const own = new Set<FoldedAddress>([email.address, ...previously.map(({ address }) => address)]);
    const seen = new Set<FoldedAddress>();
    for (const { address, value, at } of distinctFrom) {
      if (own.has(address)) {
        const message = `\`${value}\` is this user's own current or former address.`;
        log.error(at, "not-distinct", message, "Write another person's address, or remove it.");
      } else if (seen.has(address)) {
        log.error(at, "not-distinct", `\`${value}\` is listed twice.`, "Remove one of the two.");
      }
      seen.add(address);
    }
  }
}

/**
 * Where no service is asked, a user without a declared key counts as one who is to be created, and needs an address that nobody
 * misreads. Any other person may be in the service under any address, so that an unusual one is a warning: it may be a slip.
 */
export function checkAddresses(resolution: ResolvedRoster, log: RosterDiagnostics): void {
  const { draft, newUsers, today } = resolution;
  const holders = newUsers === undefined ? new Set() : keyHolders(resolution);
  for (const { email, until, previously, distinctFrom } of draft.users) {
    const isLeaver = until !== undefined && until.value <= today;
    if (isLeaver) warnAboutAddress(email, log);
    else if (newUsers !== undefined && holders.has(email.address)) warnAboutAddress(email, log);
    else if (newUsers !== undefined) checkNewUserAddress(email, newUsers, log);
    for (const other of [...previously, ...distinctFrom]) warnAboutAddress(other, log);
  }
  for (const { email } of draft.leavers) warnAboutAddress(email, log);
}

function checkNewUserAddress(
  { value, at }: SourceAddress,
  { singleLabelDomains }: NewUserRules,
  log: RosterDiagnostics,
): void {
  const fault = unsafeAddressReason(value);
  const message = `roster does not create \`${value}\``;
  if (fault !== undefined) {
    const hint = "Correct it. If the service already has this user, declare one of their keys: `key: PREFIX`.";
    log.error(at, "unsafe-address", `${message}: the address ${fault}.`, hint);
  } else if (singleLabelDomains === "refused" && hasSingleLabelDomain(value)) {
    const hint = "Write the whole domain, or set `singleLabelDomains: true` in the settings.";
    log.error(at, "single-label-domain", `${message}: its domain has no dot.`, hint);
  } else if (hasLocalPartBeyondAscii(value)) {
    const letters = `\`${value}\` has letters beyond ASCII before the \`@\`. Many mail servers do not deliver to it.`;
    log.warning(at, "non-ascii-address", letters, "Check each letter: some letters look alike.");
  }
}

function warnAboutAddress({ value, at }: SourceAddress, log: RosterDiagnostics): void {
  const fault = unsafeAddressReason(value);
  if (fault === undefined) return;
  const message = `The address \`${value}\` ${fault}. Such addresses are rare.`;
  log.warning(at, "unusual-address", message, "Check that the service shows exactly this address, or correct it.");
}

/** A person who has a key is in the service. */
function keyHolders({ draft, teams, users }: ResolvedRoster): ReadonlySet<FoldedAddress> {
  const holders = new Set<FoldedAddress>();
  for (const { draft: user } of users) if (user.key !== undefined) holders.add(user.email.address);
  for (const { members } of teams)
    for (const { key, address } of members.values()) if (key !== undefined) holders.add(address);
  for (const { owner } of draft.keys) if (owner !== undefined) holders.add(owner.address);
  return holders;
}

/** A leaver's key may be listed, so that its prefix is known, but with no roles. */
export function checkLeaverKeys({ keys, references }: ResolvedRoster, log: RosterDiagnostics): void {
  for (const { draft, roles } of keys) {
    const leaver = draft.owner && references.leavers.get(draft.owner.address);
    if (leaver === undefined || roles.roles.length === 0 || references.users.has(leaver.email.address)) continue;
    const where = formatPlace(leaver.email.at.place);
    const message = `The key \`${draft.prefix.value}\` gives roles to \`${leaver.email.value}\`, a leaver (${where}).`;
    log.error(roles.at, "leaver-key-roles", message, "Write `roles: []`, or correct the owner.");
  }
}
