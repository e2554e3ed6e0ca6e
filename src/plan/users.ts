import { type EmailKey, hasLocalPartBeyondAscii, hasSingleLabelDomain, unsafeAddressReason } from "../model/address.ts";
import { byCodeUnit } from "../model/collections.ts";
import { declared, type Located, reasonAt } from "../model/fact.ts";
import { accountStatus, isDeleted } from "../model/key.ts";
import { daysBetween, knownAddresses } from "../model/roster.ts";
import type { State } from "../model/state.ts";
import { type Basis, observedBasis, partOf, recordedBasis, unknownBasis, userSubject } from "../model/subject.ts";
import type { DesiredUser, ObservedUser } from "../model/user.ts";
import { formatDecisionTime, formatResolveCommands, type PlanContext } from "./context.ts";
import { type FindingDraft, joinList } from "./finding-draft.ts";
import {
  blockUser,
  type ClassifiedUser,
  type PresentUser,
  presenceBasis,
  type UserFinding,
  type UserIdentities,
  userFinding,
} from "./identities.ts";
import { creationRequest, refusalOf, refusedFinding } from "./remembered-refusals.ts";
import { observedAccount } from "./snapshot-index.ts";
import { classifyReplacedUser, classifyVanishedUser, isAcceptedReplacement } from "./vanished-users.ts";

export function identifyUsers(context: PlanContext): {
  readonly people: UserIdentities;
  readonly findings: readonly FindingDraft[];
} {
  const classified = [...context.roster.users.values()].map((user) => classifyUser(user, context));
  return {
    people: new Map(classified.map(({ person }) => [person.user.address, person])),
    findings: classified.flatMap(({ findings }) => findings),
  };
}

/** Who one user of the roster is to the service, and what stands in the way of what is asked for them. */
function classifyUser(user: DesiredUser, context: PlanContext): ClassifiedUser {
  if (context.closedAccounts.has(user.account)) return { person: { is: "blocked", user }, findings: [] };
  const shown = context.facts.people.get(user.address) ?? [];
  if (user.from !== undefined) return userToStart(user, user.from, shown, context);
  const [one, ...others] = shown;
  if (others.length > 0) return ambiguousUser(user, shown);
  if (one !== undefined) return classifyShownUser(user, one, context);
  return (
    knownByFormerAddress(user, context) ??
    creationInDoubt(user, context) ??
    classifyVanishedUser(user, context) ??
    unprovenUser(user, context) ??
    unsafeAddress(user) ??
    refusedUser(user, context) ??
    userToCreate(user, context)
  );
}

/** Nothing is done for a user before their first day, also where the service knows them already. */
function userToStart(
  user: DesiredUser,
  from: Located<string>,
  shown: readonly ObservedUser[],
  { policy: { today } }: PlanContext,
): ClassifiedUser {
  const one = shown.find((observed) => !isDeleted(observed));
  const until =
    one === undefined
      ? "Until then, roster does not create the user."
      : `The service already shows ${one.email}. Until then, roster does not change this user.`;
  return blockUser(user, {
    code: "date-ahead",
    aspect: "from",
    message: `${user.email} starts on ${from.value}. ${until}`,
    because: [reasonAt(from.place, "from", { name: from.value }), ...user.because.slice(0, 1)],
    restsOn: [
      { about: partOf("from", userSubject(user.address)), fact: declared(from.value, from.place) },
      observedBasis({ kind: "other", name: "today" }, today, "clock"),
      ...(one === undefined ? [] : [presenceBasis(one)]),
    ],
  });
}

function ambiguousUser(user: DesiredUser, shown: readonly ObservedUser[]): ClassifiedUser {
  const names = shown.map((one) => (one.identifier === undefined ? one.email : `${one.identifier} (${one.email})`));
  const message =
    `The service shows ${shown.length} users with the address ${user.email}: ${joinList(names)}. roster changes none of them. ` +
    "Delete or rename all but one in the service.";
  const about = userSubject(user.address);
  const restsOn = shown.map((one) => observedBasis(about, `present as ${one.identifier ?? one.email}`, one.by));
  return blockUser(user, { code: "ambiguous-user", message, restsOn });
}

function classifyShownUser(user: DesiredUser, observed: ObservedUser, context: PlanContext): ClassifiedUser {
  const status = accountStatus(observed.status);
  const restsOn = [presenceBasis(observed)];
  if (status === "deleted") {
    const message =
      `The service shows ${user.email} as deleted. A deleted user blocks the address, and the API cannot restore users. ` +
      "Restore or purge the user in the service. Or change the address, or remove the user from the roster.";
    return blockUser(user, { code: "inactive-user", aspect: "deleted", message, restsOn });
  }
  const account = observedAccount(observed, context.facts);
  if (account !== undefined && account !== user.account) {
    const message =
      `The service shows ${user.email} in the account ${account}. The roster has ${user.account}. The API cannot move users. ` +
      "Correct the account in the roster, or move the user in the service.";
    return blockUser(user, { code: "user-in-other-account", message, restsOn });
  }
  const replaced = classifyReplacedUser(user, observed, context);
  if (replaced !== undefined) return replaced;
  // Another user may have had the address before.
  const record = context.state.users.get(observed.address);
  const isAnother =
    record?.identifier !== undefined && observed.identifier !== undefined && record.identifier !== observed.identifier;
  const person: PresentUser = {
    is: "present",
    user,
    observed,
    record: isAnother ? undefined : record,
    invitable: status !== "barred",
    isReplacement: isAcceptedReplacement(user, observed, context),
  };
  if (status === "pending")
    return { person, findings: [userFinding(user, pendingInvitation(user, observed, context))] };
  if (status !== "barred") return { person, findings: [] };
  const message =
    `The service shows ${user.email} as ${observed.status}. The API cannot activate users. roster does not add them to teams, ` +
    "but still manages the roles of their keys. Activate the user in the service.";
  return { person, findings: [userFinding(user, { code: "inactive-user", message, restsOn })] };
}

/** For how many days an invitation commonly lasts. */
const invitationDays = 14;

/** Somebody who has not accepted an invitation yet: a notice, until it is older than they commonly last. */
function pendingInvitation(user: DesiredUser, observed: ObservedUser, { state, policy }: PlanContext): UserFinding {
  const code = "invitation-pending";
  const shown = `The service shows ${user.email} as ${observed.status}.`;
  const at = lastInvited(user.address, state);
  const age = at === undefined ? 0 : daysBetween(at.slice(0, 10), policy.today);
  if (at === undefined || age <= invitationDays)
    return {
      code,
      message: `${shown} The user has not accepted the invitation yet.`,
      restsOn: [presenceBasis(observed)],
    };
  const message =
    `${shown} The last known invitation is ${age} days old (${at}). It may be lost or expired. ` +
    "roster does not send it again. Ask the user, or send the invitation again in the service.";
  const restsOn = [
    presenceBasis(observed),
    recordedBasis(userSubject(user.address), "invited", at),
    observedBasis({ kind: "other", name: "today" }, policy.today, "clock"),
  ];
  return { code, kind: "task", aspect: "expired", message, restsOn };
}

/** When somebody was last invited by our record, ISO 8601: put into a team, which is mailed, or else created. */
function lastInvited(address: EmailKey, { memberships, users }: State): string | undefined {
  const mails = [...memberships.values()].filter((held) => held.address === address && held.how === "added");
  const [latest] = mails.map(({ at }) => at).sort((a, b) => byCodeUnit(b, a));
  return latest ?? users.get(address)?.createdAt;
}

function knownByFormerAddress(user: DesiredUser, { facts }: PlanContext): ClassifiedUser | undefined {
  const former = user.previously.find(({ value }) => facts.people.has(value));
  const [shown] = former === undefined ? [] : (facts.people.get(former.value) ?? []);
  if (former === undefined || shown === undefined) return undefined;
  const message =
    `The service has this user as ${shown.email}, a former address of ${user.email}. The API cannot change addresses. ` +
    `roster does not create a second user. Change the address in the service, or write ${shown.email} as the \`email\`.`;
  return blockUser(user, {
    code: "former-address",
    message,
    restsOn: [observedBasis(userSubject(former.value), "present", shown.by)],
    because: [...user.because.slice(0, 1), reasonAt(former.place, "former-address", { name: former.value })],
  });
}

function creationInDoubt(user: DesiredUser, context: PlanContext): ClassifiedUser | undefined {
  const open = context.state.open.find(
    ({ intent }) => intent.kind === "create-user" && intent.address === user.address,
  );
  if (open === undefined) return undefined;
  const message =
    `roster sent a call to create ${user.email} at ${open.at}. The outcome is unknown, and reads do not show the user yet. ` +
    `roster does not send it again. ${formatDecisionTime([open], context)}. Or look in the service and ${formatResolveCommands([open])}.`;
  const restsOn = [recordedBasis(userSubject(user.address), `call announced by run ${open.run}`, open.at)];
  return blockUser(user, { code: "unknown-outcome", message, restsOn });
}

/** A person who may be there, if only under a former address, is not created. */
function unprovenUser(
  user: DesiredUser,
  { snapshot: { everyone, absences }, roster }: PlanContext,
): ClassifiedUser | undefined {
  const unproven = (name: string, why: string) => {
    const message =
      `roster cannot prove that ${name} is absent: ${why}. roster does not create a user in doubt. ` +
      "Plan again. If it stays, run `roster doctor` and check what your key can see.";
    const restsOn = [unknownBasis(userSubject(user.address), why)];
    return blockUser(user, { code: "incomplete-read", message, restsOn });
  };
  if (everyone.read === "incomplete") return unproven(user.email, `the list of users is incomplete (${everyone.why})`);
  for (const address of knownAddresses(user.address, roster)) {
    const absence = absences.get(address);
    if (absence?.proven === true) continue;
    const name = address === user.address ? user.email : `${address}, a former address of ${user.email},`;
    return unproven(name, absence?.why ?? "this run did not search for the address");
  }
  return undefined;
}

/** Last of all: a user who may exist need not change an address that the service lets them have. */
function unsafeAddress(user: DesiredUser): ClassifiedUser | undefined {
  const fault = unsafeAddressReason(user.email);
  if (fault === undefined && !hasSingleLabelDomain(user.email)) return undefined;
  const next = fault === undefined ? "Write the full domain." : "Correct it.";
  const message =
    `${user.email} is not created: the address ${fault ?? "has a domain without a dot"}. The service does not show this user, ` +
    `and a mail could reach another person. ${next}`;
  return blockUser(user, { code: "unsafe-address", message });
}

/** Somebody whose creation the service refused, and that the roster still wants created in the very same words. */
function refusedUser(user: DesiredUser, context: PlanContext): ClassifiedUser | undefined {
  const refusal = refusalOf(creationRequest(user, context), context);
  if (refusal === undefined) return undefined;
  const about = partOf("creation", userSubject(user.address));
  return blockUser(user, refusedFinding(about, refusal, "correct the user in the roster"));
}

function userToCreate(user: DesiredUser, { snapshot, roster }: PlanContext): ClassifiedUser {
  const absences = knownAddresses(user.address, roster).flatMap((address): readonly Basis[] => {
    const absence = snapshot.absences.get(address);
    return absence?.proven === true ? [observedBasis(userSubject(address), "absent", absence.by)] : [];
  });
  const message =
    `${user.email} has non-ASCII letters before the \`@\`. Many mail servers do not deliver to such an address. Some letters ` +
    "look like others. Check the address letter by letter.";
  const findings = hasLocalPartBeyondAscii(user.email)
    ? [userFinding(user, { code: "unsafe-address", kind: "notice", message })]
    : [];
  return { person: { is: "absent", user, absences }, findings };
}
