import type { FoldedAddress } from "../model/address.ts";
import type { RosterUser } from "../model/roster.ts";
import { type ObservedUser, standing } from "../model/snapshot.ts";
import { judgeAbsent } from "./absent-people.ts";
import type { Draft } from "./draft.ts";
import { accountShownFor } from "./facts.ts";
import { aboutUser, type JudgedPerson, type People, type Person, type Present, withhold } from "./person.ts";
import type { Question } from "./question.ts";
import { listed, seen, userSubject } from "./subjects.ts";

export function identifyPeople(question: Question): { readonly people: People; readonly findings: readonly Draft[] } {
  const people = new Map<FoldedAddress, Person>();
  const findings: Draft[] = [];
  for (const user of question.roster.users.values()) {
    const judged = judge(user, question);
    people.set(user.address, judged.person);
    findings.push(...judged.findings);
  }
  return { people, findings };
}

function judge(user: RosterUser, question: Question): JudgedPerson {
  if (question.closedAccounts.has(user.account)) return { person: { is: "withheld", user }, findings: [] };
  const shown = question.facts.people.get(user.address) ?? [];
  const [one, ...others] = shown;
  if (one === undefined) return judgeAbsent(user, question);
  return others.length > 0 ? ambiguous(user, shown) : judgeShown(user, one, question);
}

function ambiguous(user: RosterUser, shown: readonly ObservedUser[]): JudgedPerson {
  const names = shown.map((one) => (one.identifier === undefined ? one.email : `${one.identifier} (${one.email})`));
  const message =
    `The service shows ${shown.length} users with the address ${user.email}: ${listed(names)}. They are never merged, ` +
    "and nothing is done for this person until all but one of them are gone or have another address.";
  const restsOn = shown.map((one) =>
    seen(userSubject(user.address), `present as ${one.identifier ?? one.email}`, one.by),
  );
  return withhold(user, { code: "ambiguous-user", message, restsOn });
}

function judgeShown(user: RosterUser, observed: ObservedUser, question: Question): JudgedPerson {
  const word = standing(observed.status);
  const restsOn = [seen(userSubject(user.address), `present as ${observed.status ?? "user"}`, observed.by)];
  if (word === "deleted") return withhold(user, { code: "deleted-user", message: deletedMessage(user), restsOn });
  const account = accountShownFor(observed, question.facts);
  if (account !== undefined && account !== user.account) {
    return withhold(user, { code: "other-account", message: otherAccountMessage(user, account), restsOn });
  }
  const record = question.state.users.get(user.address);
  const person: Present = {
    is: "present",
    user,
    observed,
    invitable: word !== "barred",
    ...(record === undefined ? {} : { record }),
  };
  if (word === "barred")
    return {
      person,
      findings: [aboutUser(user, { code: "barred-user", message: barredMessage(user, observed), restsOn })],
    };
  if (word === "pending")
    return {
      person,
      findings: [aboutUser(user, { code: "pending-user", message: pendingMessage(user, observed), restsOn })],
    };
  return { person, findings: [] };
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

function barredMessage(user: RosterUser, observed: ObservedUser): string {
  return (
    `The service shows ${user.email} as ${observed.status}, and no call activates a user. The person is added to no team ` +
    "until somebody activates the account by hand; the roles of keys that are there are still kept as the roster says."
  );
}

function pendingMessage(user: RosterUser, observed: ObservedUser): string {
  return `The service shows ${user.email} as ${observed.status}: the person has not accepted the invitation yet.`;
}
