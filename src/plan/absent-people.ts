import type { Basis } from "../model/fact.ts";
import type { RosterUser } from "../model/roster.ts";
import type { RecordedUser } from "../model/state.ts";
import { type JudgedPerson, withhold } from "./person.ts";
import type { Question } from "./question.ts";
import { notKnown, remembered, seen, userSubject } from "./subjects.ts";

/** Judges a person whom the service did not show under the address: new, or withheld and why. */
export function judgeAbsent(user: RosterUser, question: Question): JudgedPerson {
  return (
    formerAddress(user, question) ??
    unknownOutcome(user, question) ??
    vanished(user, question) ??
    unprovenOrNew(user, question)
  );
}

function formerAddress(user: RosterUser, { facts }: Question): JudgedPerson | undefined {
  const former = user.previously.find(({ value }) => facts.people.has(value));
  const [shown] = former === undefined ? [] : (facts.people.get(former.value) ?? []);
  if (former === undefined || shown === undefined) return undefined;
  const message =
    `The service knows this person as ${shown.email}, a former address of ${user.email}, and no call changes an address. ` +
    `No second user is created: either have the address changed by hand, or write ${shown.email} as the email in the roster.`;
  const judged = withhold(user, {
    code: "former-address",
    message,
    restsOn: [seen(userSubject(former.value), "present", shown.by)],
  });
  return {
    ...judged,
    findings: judged.findings.map((finding) => ({ ...finding, because: [user.place, former.place] })),
  };
}

function unknownOutcome(user: RosterUser, { state }: Question): JudgedPerson | undefined {
  const open = state.open.find(({ intent }) => intent.kind === "create-user" && intent.address === user.address);
  if (open === undefined) return undefined;
  const message =
    `A run began to create ${user.email} at ${open.at} and never learned the outcome, and reading the users has not settled it. ` +
    "It is not tried again blindly: plan again later, or look in the service and correct the state by hand.";
  return withhold(user, {
    code: "unknown-outcome",
    message,
    restsOn: [remembered(userSubject(user.address), `creation announced by run ${open.run}`, open.at)],
  });
}

function vanished(user: RosterUser, { state, facts, policy }: Question): JudgedPerson | undefined {
  if (policy.recreate.includes(user.address)) return undefined;
  const record = state.users.get(user.address);
  if (record === undefined) return undefined;
  const moved = record.identifier === undefined ? undefined : facts.userIdentifiedBy(record.identifier);
  const when = record.createdAt ?? record.seenAt;
  if (when === undefined && moved === undefined) return undefined;
  const now = moved === undefined ? "no longer shows the address" : `now shows that user as ${moved.email}`;
  const restsOn: Basis[] = when === undefined ? [] : [remembered(userSubject(user.address), "present", when)];
  if (moved !== undefined) restsOn.push(seen(userSubject(moved.address), `present as ${record.identifier}`, moved.by));
  return withhold(user, { code: "vanished", message: vanishedMessage(user, record, now), restsOn });
}

function vanishedMessage(user: RosterUser, record: RecordedUser, now: string): string {
  const past =
    record.createdAt === undefined
      ? `was there at ${record.seenAt ?? "an earlier run"}`
      : `was created at ${record.createdAt}`;
  return (
    `${user.email} ${past}, and the service ${now}. Whoever was here is not created again by itself: ` +
    `correct the address, take the person out of the roster, or say --recreate ${user.email} for one run.`
  );
}

function unprovenOrNew(user: RosterUser, { snapshot }: Question): JudgedPerson {
  const about = userSubject(user.address);
  const absence = snapshot.absences.get(user.address) ?? {
    proven: false,
    why: "the service was not asked for the address",
  };
  if (snapshot.everyone.read === "incomplete")
    return unproven(user, `the list of users is incomplete (${snapshot.everyone.why})`);
  if (!absence.proven) return unproven(user, absence.why);
  return { person: { is: "new", user, absence: seen(about, "absent", absence.by) }, findings: [] };
}

function unproven(user: RosterUser, why: string): JudgedPerson {
  const message =
    `It is not proven that ${user.email} is absent: ${why}. Nobody is created on a doubt; ` +
    "plan again, and if this stays, check what the key in use may see.";
  return withhold(user, { code: "unproven-user", message, restsOn: [notKnown(userSubject(user.address), why)] });
}
