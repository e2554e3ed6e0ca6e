import {
  type FoldedAddress,
  hasLocalPartBeyondAscii,
  hasSingleLabelDomain,
  unsafeAddressReason,
} from "../../model/address.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { SourceAddress } from "../draft.ts";
import type { NewUserRules, ResolvedRoster } from "../resolution.ts";

/**
 * Where no service is asked, a user without a declared key counts as one who is to be created, and needs an address that nobody
 * misreads. Any other person may be in the service under any address, so that an unusual one is a warning: it may be a slip.
 */
export function checkAddresses(resolution: ResolvedRoster, log: DiagnosticsCollector): void {
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
  log: DiagnosticsCollector,
): void {
  const fault = unsafeAddressReason(value);
  const message = `No user is created as \`${value}\``;
  if (fault !== undefined) {
    const hint = "Correct it. If the service already has this user, declare one of their keys: `key: PREFIX`.";
    log.error(at, "unsafe-address", `${message}: the address ${fault}.`, hint);
  } else if (singleLabelDomains === "refused" && hasSingleLabelDomain(value)) {
    const hint = "Write the whole domain, or set `singleLabelDomains: true` in the settings.";
    log.error(at, "single-label-domain", `${message}: its domain has no dot.`, hint);
  } else if (hasLocalPartBeyondAscii(value)) {
    const letters = `\`${value}\` has letters beyond ASCII before the \`@\`. Many mail servers do not deliver to such an address.`;
    log.warning(at, "non-ascii-address", letters, "Check it letter by letter. Some letters look like others.");
  }
}

function warnAboutAddress({ value, at }: SourceAddress, log: DiagnosticsCollector): void {
  const fault = unsafeAddressReason(value);
  if (fault === undefined) return;
  const message = `The address \`${value}\` ${fault}. Few people have such an address.`;
  log.warning(at, "unusual-address", message, "Check that the service shows it exactly so, or correct it.");
}

/** Whoever has a key is in the service. */
function keyHolders({ draft, teams, users }: ResolvedRoster): ReadonlySet<FoldedAddress> {
  const holders = new Set<FoldedAddress>();
  for (const { draft: user } of users) if (user.key !== undefined) holders.add(user.email.address);
  for (const { members } of teams)
    for (const { key, address } of members.values()) if (key !== undefined) holders.add(address);
  for (const { owner } of draft.keys) if (owner !== undefined) holders.add(owner.address);
  return holders;
}
