import { hasLocalPartBeyondAscii, hasSingleLabelDomain, unsafeAddressReason } from "../model/address.ts";
import { type Basis, reasonAt } from "../model/fact.ts";
import type { RosterUser } from "../model/roster.ts";
import type { Absence } from "../model/snapshot.ts";
import type { FindingDraft } from "./draft.ts";
import { blockUser, type ClassifiedUser, userFinding } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { refusedUser } from "./refused-people.ts";
import { formatDecisionTime, formatResolveCommands } from "./resolve-words.ts";
import { observedBasis, recordedBasis, unknownBasis, userSubject } from "./subjects.ts";
import { classifyVanishedUser } from "./vanished.ts";

/** Judges a person whom the service did not show under the address: new, or withheld and why. */
export function classifyAbsentUser(user: RosterUser, context: PlanContext): ClassifiedUser {
  return (
    knownByFormerAddress(user, context) ??
    creationInDoubt(user, context) ??
    classifyVanishedUser(user, context) ??
    unprovenOrToCreate(user, context)
  );
}

function knownByFormerAddress(user: RosterUser, { facts }: PlanContext): ClassifiedUser | undefined {
  const former = user.previously.find(({ value }) => facts.people.has(value));
  const [shown] = former === undefined ? [] : (facts.people.get(former.value) ?? []);
  if (former === undefined || shown === undefined) return undefined;
  const message =
    `The service knows this person as ${shown.email}, a former address of ${user.email}, and no call changes an address. ` +
    `No second user is created: either have the address changed by hand, or write ${shown.email} as the email in the roster.`;
  const judged = blockUser(user, {
    code: "former-address",
    message,
    restsOn: [observedBasis(userSubject(former.value), "present", shown.by)],
  });
  return {
    ...judged,
    findings: judged.findings.map((finding) => ({
      ...finding,
      because: [...user.because.slice(0, 1), reasonAt(former.place, "former-address", { name: former.value })],
    })),
  };
}

function creationInDoubt(user: RosterUser, context: PlanContext): ClassifiedUser | undefined {
  const open = context.state.open.find(
    ({ intent }) => intent.kind === "create-user" && intent.address === user.address,
  );
  if (open === undefined) return undefined;
  const message =
    `roster sent the creation of ${user.email} at ${open.at} and does not know whether it was done. Reads do not show it yet. ` +
    `It is not sent again before that is known. ${formatDecisionTime([open], context)}; or look in the service and ${formatResolveCommands([open], context)}.`;
  return blockUser(user, {
    code: "unknown-outcome",
    message,
    restsOn: [recordedBasis(userSubject(user.address), `creation announced by run ${open.run}`, open.at)],
  });
}

/** Last of all: whoever may be there is not asked to change an address that the service lets them have. */
function unsafeAddress(user: RosterUser, { policy }: PlanContext): ClassifiedUser | undefined {
  const fault = unsafeAddressReason(user.email);
  const isRefused = !policy.singleLabelDomains && hasSingleLabelDomain(user.email);
  if (fault === undefined && !isRefused) return undefined;
  const next =
    fault === undefined ? "Write the whole domain, or set `singleLabelDomains: true` in the settings." : "Correct it.";
  const message =
    `${user.email} is not created: the address ${fault ?? "has a domain without a dot"}. The service does not show this user, ` +
    `and a call could reach somebody else. ${next}`;
  return blockUser(user, { code: "unsafe-address", message });
}

/** Whoever may be there under a former address is not created under the new one. */
function unprovenOrToCreate(user: RosterUser, context: PlanContext): ClassifiedUser {
  const { snapshot } = context;
  if (snapshot.everyone.read === "incomplete")
    return unprovenUser(user, user.email, `the list of users is incomplete (${snapshot.everyone.why})`);
  const absences: Basis[] = [];
  for (const address of [user.address, ...user.previously.map(({ value }) => value)]) {
    const absence = snapshot.absences.get(address) ?? notSearched;
    const name = address === user.address ? user.email : `${address}, a former address of ${user.email},`;
    if (!absence.proven) return unprovenUser(user, name, absence.why);
    absences.push(observedBasis(userSubject(address), "absent", absence.by));
  }
  return (
    unsafeAddress(user, context) ??
    refusedUser(user, context) ?? { person: { is: "new", user, absences }, findings: nonAsciiFinding(user) }
  );
}

function nonAsciiFinding(user: RosterUser): readonly FindingDraft[] {
  if (!hasLocalPartBeyondAscii(user.email)) return [];
  const message =
    `${user.email} has letters beyond ASCII before the \`@\`. Many mail servers do not deliver to such an address, and some letters ` +
    "look like others. Check it letter by letter.";
  return [userFinding(user, { code: "non-ascii-address", message })];
}

const notSearched: Absence = { proven: false, why: "the service was not asked for the address" };

function unprovenUser(user: RosterUser, name: string, why: string): ClassifiedUser {
  const message =
    `It is not proven that ${name} is absent: ${why}. Nobody is created on a doubt; ` +
    "plan again, and if this stays, check what the key in use may see.";
  return blockUser(user, { code: "unproven-user", message, restsOn: [unknownBasis(userSubject(user.address), why)] });
}
