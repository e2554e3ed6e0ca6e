import type { FoldedAddress } from "../model/address.ts";
import type { RosterUser } from "../model/roster.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { RecordedUser } from "../model/state.ts";
import { judgeAbsent } from "./absent-people.ts";
import type { Draft } from "./draft.ts";
import { accountShownFor } from "./facts.ts";
import { judgeInvitation } from "./invitations.ts";
import { aboutUser, type JudgedPerson, type People, type Person, type Present, withhold } from "./person.ts";
import type { Question } from "./question.ts";
import { listed, seen, userSubject } from "./subjects.ts";
import { isTakenOnWord, judgeReplaced } from "./vanished.ts";

export function identifyPeople(question: Question): { readonly people: People; readonly findings: readonly Draft[] } {
  const people = new Map<FoldedAddress, Person>();
  const findings: Draft[] = [];
  for (const user of question.roster.users.values()) {
    const judged = judgePerson(user, question);
    people.set(user.address, judged.person);
    findings.push(...judged.findings);
  }
  return { people, findings };
}

/** Who one user of the roster is to the service, and what stands in the way of what is asked for them. */
export function judgePerson(user: RosterUser, question: Question): JudgedPerson {
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
  const word = accountStatus(observed.status);
  if (word === "deleted") return withhold(user, tell(user, observed, "deleted-user", deletedMessage(user)));
  const account = accountShownFor(observed, question.facts);
  if (account !== undefined && account !== user.account) {
    return withhold(user, tell(user, observed, "other-account", otherAccountMessage(user, account)));
  }
  const replaced = judgeReplaced(user, observed, question);
  if (replaced !== undefined) return replaced;
  const record = recordOf(observed, question);
  const meantBy = isTakenOnWord(user, observed, question) ? ({ meantBy: "word" } as const) : {};
  const known = { is: "present", user, observed, invitable: word !== "barred", ...meantBy } as const;
  const person: Present = record === undefined ? known : { ...known, record };
  if (word === "barred") return { person, findings: [aboutUser(user, barred(user, observed))] };
  if (word === "pending") return { person, findings: [aboutUser(user, judgeInvitation(user, observed, question))] };
  return { person, findings: [] };
}

/** What is remembered of this very user; another one may have had the address before. */
function recordOf({ address, identifier }: ObservedUser, { state }: Question): RecordedUser | undefined {
  const record = state.users.get(address);
  const isAnother = record?.identifier !== undefined && identifier !== undefined && record.identifier !== identifier;
  return isAnother ? undefined : record;
}

type Told = Pick<Draft, "code" | "message" | "restsOn">;

function tell(user: RosterUser, observed: ObservedUser, code: Draft["code"], message: string): Told {
  const shown = observed.status ?? "a user without a status";
  return { code, message, restsOn: [seen(userSubject(user.address), `present as ${shown}`, observed.by)] };
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

function barred(user: RosterUser, observed: ObservedUser): Told {
  const message =
    `The service shows ${user.email} as ${observed.status}, and no call activates a user. The person is added to no team ` +
    "until somebody activates the account by hand; the roles of keys that are there are still kept as the roster says.";
  return tell(user, observed, "barred-user", message);
}
