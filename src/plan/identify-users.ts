import { say } from "../codes/message.ts";
import { type EmailKey, hasLocalPartBeyondAscii, hasSingleLabelDomain, unsafeAddressReason } from "../model/address.ts";
import { byCodeUnit } from "../model/collections.ts";
import { type Located, reasonAt } from "../model/fact.ts";
import { accountStatus, isDeleted } from "../model/key.ts";
import { daysBetween, knownAddresses } from "../model/roster.ts";
import type { State } from "../model/state.ts";
import { type Basis, observedBasis, partOf, recordedBasis, unknownBasis, userSubject } from "../model/subject.ts";
import type { DesiredUser, ObservedUser } from "../model/user.ts";
import { dateBases, formatDecisionTime, formatResolveCommands, type PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
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
import { classifyReplacedUser, classifyVanishedUser } from "./vanished-users.ts";

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

function classifyUser(user: DesiredUser, context: PlanContext): ClassifiedUser {
  if (context.closedAccounts.has(user.account)) return { person: { is: "blocked", user }, findings: [] };
  const shown = context.facts.people.get(user.address) ?? [];
  if (user.from !== undefined) return userToStart(user, user.from, shown, context);
  if (shown.length > 1) return ambiguousUser(user, shown);
  const [one] = shown;
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
  const parts = { email: user.email, from: from.value };
  const texts =
    one === undefined
      ? say("date-ahead/user-starts", parts)
      : say("date-ahead/shown-user-starts", { ...parts, shown: one.email });
  return blockUser(user, {
    ...texts,
    aspect: "from",
    because: [reasonAt(from.place, "from", { name: from.value }), ...user.because.slice(0, 1)],
    restsOn: [
      ...dateBases(partOf("from", userSubject(user.address)), [from], today),
      ...(one === undefined ? [] : [presenceBasis(one)]),
    ],
  });
}

function ambiguousUser(user: DesiredUser, shown: readonly ObservedUser[]): ClassifiedUser {
  const names = shown.map((one) => (one.identifier === undefined ? one.email : `${one.identifier} (${one.email})`));
  const texts = say("ambiguous-user", { count: shown.length, email: user.email, shown: names });
  const about = userSubject(user.address);
  const restsOn = shown.map((one) => observedBasis(about, `present as ${one.identifier ?? one.email}`, one.by));
  return blockUser(user, { ...texts, restsOn });
}

function classifyShownUser(user: DesiredUser, observed: ObservedUser, context: PlanContext): ClassifiedUser {
  const status = accountStatus(observed.status);
  const { email } = user;
  const restsOn = () => [presenceBasis(observed)];
  if (status === "deleted")
    return blockUser(user, { ...say("inactive-user/deleted", { email }), aspect: "deleted", restsOn: restsOn() });
  const shown = observedAccount(observed, context.facts);
  if (shown !== undefined && shown !== user.account)
    return blockUser(user, {
      ...say("user-in-other-account", { email, shown, account: user.account }),
      restsOn: restsOn(),
    });
  const replaced = classifyReplacedUser(user, observed, context);
  if (typeof replaced === "object") return replaced;
  const isReplacement = replaced === "accepted";
  const record = isReplacement ? undefined : context.state.users.get(observed.address);
  const invitable = status !== "barred";
  const person: PresentUser = { is: "present", user, observed, record, invitable, isReplacement };
  if (status === "pending")
    return { person, findings: [userFinding(user, pendingInvitation(user, observed, context))] };
  if (status !== "barred") return { person, findings: [] };
  const texts = say("inactive-user/disabled", { email, status: observed.status ?? "" });
  return { person, findings: [userFinding(user, { ...texts, restsOn: restsOn() })] };
}

const invitationDays = 14;

/** Somebody who has not accepted an invitation yet: a notice, until it is older than they commonly last. */
function pendingInvitation(user: DesiredUser, observed: ObservedUser, { state, policy }: PlanContext): UserFinding {
  const shown = { email: user.email, status: observed.status ?? "" };
  const at = lastInvited(user.address, state);
  const age = at === undefined ? 0 : daysBetween(at.slice(0, 10), policy.today);
  if (at === undefined || age <= invitationDays)
    return { ...say("invitation-pending/recent", shown), restsOn: [presenceBasis(observed)] };
  const restsOn = [
    presenceBasis(observed),
    recordedBasis(userSubject(user.address), "invited", at),
    observedBasis({ kind: "other", name: "today" }, policy.today, "clock"),
  ];
  return {
    ...say("invitation-pending/expired", { ...shown, days: age, at }),
    kind: "task",
    aspect: "expired",
    restsOn,
  };
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
  return blockUser(user, {
    ...say("former-address", { shown: shown.email, email: user.email }),
    restsOn: [observedBasis(userSubject(former.value), "present", shown.by)],
    because: [...user.because.slice(0, 1), reasonAt(former.place, "former-address", { name: former.value })],
  });
}

function creationInDoubt(user: DesiredUser, context: PlanContext): ClassifiedUser | undefined {
  const open = context.state.open.find(
    ({ intent }) => intent.kind === "create-user" && intent.address === user.address,
  );
  if (open === undefined) return undefined;
  const [when, resolve] = [formatDecisionTime([open], context), formatResolveCommands([open])];
  const texts = say("unknown-outcome/user", { email: user.email, at: open.at, when, resolve });
  const restsOn = [recordedBasis(userSubject(user.address), `call announced by run ${open.run}`, open.at)];
  return blockUser(user, { ...texts, restsOn });
}

/** A person who may be there, if only under a former address, is not created. */
function unprovenUser(
  user: DesiredUser,
  { snapshot: { everyone, absences }, roster }: PlanContext,
): ClassifiedUser | undefined {
  const unproven = (email: string, why: string) => {
    const restsOn = [unknownBasis(userSubject(user.address), why)];
    return blockUser(user, { ...say("incomplete-read/user", { email, why }), restsOn });
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
  const { email } = user;
  const texts =
    fault === undefined ? say("unsafe-address/domain", { email }) : say("unsafe-address/fault", { email, fault });
  return blockUser(user, texts);
}

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
  const texts = say("unsafe-address/letters", { email: user.email });
  const findings = hasLocalPartBeyondAscii(user.email) ? [userFinding(user, { ...texts, kind: "notice" })] : [];
  return { person: { is: "absent", user, absences }, findings };
}
