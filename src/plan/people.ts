import type { FoldedAddress } from "../model/address.ts";
import type { RosterUser } from "../model/roster.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { RecordedUser } from "../model/state.ts";
import { classifyAbsentUser } from "./absent-people.ts";
import type { FindingDraft } from "./draft.ts";
import { observedAccount } from "./facts.ts";
import { invitationFinding } from "./invitations.ts";
import {
  blockUser,
  type ClassifiedUser,
  type PresentUser,
  type UserIdentities,
  type UserIdentity,
  userFinding,
} from "./person.ts";
import type { PlanContext } from "./question.ts";
import { joinList, observedBasis, userSubject } from "./subjects.ts";
import { classifyReplacedUser, isAcceptedReplacement } from "./vanished.ts";

export function identifyUsers(context: PlanContext): {
  readonly people: UserIdentities;
  readonly findings: readonly FindingDraft[];
} {
  const people = new Map<FoldedAddress, UserIdentity>();
  const findings: FindingDraft[] = [];
  for (const user of context.roster.users.values()) {
    const judged = classifyUser(user, context);
    people.set(user.address, judged.person);
    findings.push(...judged.findings);
  }
  return { people, findings };
}

/** Who one user of the roster is to the service, and what stands in the way of what is asked for them. */
export function classifyUser(user: RosterUser, context: PlanContext): ClassifiedUser {
  if (context.closedAccounts.has(user.account)) return { person: { is: "withheld", user }, findings: [] };
  const shown = context.facts.people.get(user.address) ?? [];
  const [one, ...others] = shown;
  if (one === undefined) return classifyAbsentUser(user, context);
  return others.length > 0 ? ambiguousUser(user, shown) : classifyObservedUser(user, one, context);
}

function ambiguousUser(user: RosterUser, shown: readonly ObservedUser[]): ClassifiedUser {
  const names = shown.map((one) => (one.identifier === undefined ? one.email : `${one.identifier} (${one.email})`));
  const message =
    `The service shows ${shown.length} users with the address ${user.email}: ${joinList(names)}. They are never merged, ` +
    "and nothing is done for this person until all but one of them are gone or have another address.";
  const restsOn = shown.map((one) =>
    observedBasis(userSubject(user.address), `present as ${one.identifier ?? one.email}`, one.by),
  );
  return blockUser(user, { code: "ambiguous-user", message, restsOn });
}

function classifyObservedUser(user: RosterUser, observed: ObservedUser, context: PlanContext): ClassifiedUser {
  const word = accountStatus(observed.status);
  if (word === "deleted")
    return blockUser(user, observedUserFinding(user, observed, "deleted-user", deletedMessage(user)));
  const account = observedAccount(observed, context.facts);
  if (account !== undefined && account !== user.account) {
    return blockUser(user, observedUserFinding(user, observed, "other-account", otherAccountMessage(user, account)));
  }
  const replaced = classifyReplacedUser(user, observed, context);
  if (replaced !== undefined) return replaced;
  const record = recordedUserOf(observed, context);
  const meantBy = isAcceptedReplacement(user, observed, context) ? ({ meantBy: "word" } as const) : {};
  const known = { is: "present", user, observed, invitable: word !== "barred", ...meantBy } as const;
  const person: PresentUser = record === undefined ? known : { ...known, record };
  if (word === "barred") return { person, findings: [userFinding(user, barredUserFinding(user, observed))] };
  if (word === "pending") return { person, findings: [userFinding(user, invitationFinding(user, observed, context))] };
  return { person, findings: [] };
}

/** What is remembered of this very user; another one may have had the address before. */
function recordedUserOf({ address, identifier }: ObservedUser, { state }: PlanContext): RecordedUser | undefined {
  const record = state.users.get(address);
  const isAnother = record?.identifier !== undefined && identifier !== undefined && record.identifier !== identifier;
  return isAnother ? undefined : record;
}

type ObservedUserFinding = Pick<FindingDraft, "code" | "message" | "restsOn">;

function observedUserFinding(
  user: RosterUser,
  observed: ObservedUser,
  code: FindingDraft["code"],
  message: string,
): ObservedUserFinding {
  const shown = observed.status ?? "a user without a status";
  return { code, message, restsOn: [observedBasis(userSubject(user.address), `present as ${shown}`, observed.by)] };
}

function deletedMessage(user: RosterUser): string {
  return (
    `The service shows ${user.email} as deleted. A deleted user blocks the address and no call brings one back: ` +
    "give the person another address, have the service's owner free this one, or take the person out of the roster."
  );
}

function otherAccountMessage(user: RosterUser, account: string): string {
  return (
    `The service shows ${user.email} in the account ${account}, the roster asks for ${user.account}. No call moves a user: ` +
    "correct the account in the roster, or have the person moved by hand."
  );
}

function barredUserFinding(user: RosterUser, observed: ObservedUser): ObservedUserFinding {
  const message =
    `The service shows ${user.email} as ${observed.status}, and no call activates a user. The person is added to no team ` +
    "until somebody activates the account by hand; the roles of keys that are there are still kept as the roster says.";
  return observedUserFinding(user, observed, "barred-user", message);
}
