import { say } from "../codes/message.ts";
import { formatAllowanceCode, type Objection } from "../model/allowance.ts";
import { droppedUsers } from "../model/roster.ts";
import type { State } from "../model/state.ts";
import { observedBasis, recordedBasis, unknownBasis, userSubject } from "../model/subject.ts";
import type { AddressedUser } from "../model/user.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";

/** With more people than these, one finding more names all at once: a file was perhaps lost. */
const maxReportedSingly = 3;

/** People of the last applied roster that nobody names any more, and who are not known to be gone: nobody disappears in silence. */
export function findDroppedUsers(context: PlanContext): readonly FindingDraft[] {
  const { roster, facts, state, policy } = context;
  const people = unreleasedUsers(context);
  if (people.length === 0) return [];
  const isRevoked = roster.teams.some(({ onRemoval }) => onRemoval === "revoke");
  const removal = isRevoked ? "revoke" : undefined;
  const dropped = people.flatMap((person) => {
    const { address, email } = person;
    const presence = facts.presenceOf(address);
    if (presence.is === "absent") return [];
    const subject = userSubject(address);
    const [there, basis] =
      presence.is === "present"
        ? ["The service still shows them", presence.users.map(({ by }) => observedBasis(subject, "present", by))]
        : [`roster cannot prove that they are gone: ${presence.why}`, [unknownBasis(subject, presence.why)]];
    const texts = say("user-removed/one", { email, presence: there, removal, today: policy.today });
    const finding: FindingDraft = {
      ...texts,
      subject,
      because: [],
      restsOn: [recordedBasis(subject, "in the applied roster", state.applied?.at ?? ""), ...basis],
      allow: [release(person, state)],
      concerns: [{ address }],
    };
    return [{ email, address, finding }];
  });
  const each = dropped.map(({ finding }) => finding);
  if (dropped.length <= maxReportedSingly) return each;
  const texts = say("user-removed/many", { count: dropped.length, emails: dropped.map(({ email }) => email) });
  const concerns = dropped.map(({ address }) => ({ address }));
  const subject = { kind: "other", name: "roster" } as const;
  return [{ ...texts, subject, because: [], concerns }, ...each];
}

/** Users whom the roster has dropped, and of whom nobody has said that they are not managed any more. */
export function unreleasedUsers({ roster, state, facts, allowances }: PlanContext): readonly AddressedUser[] {
  return droppedUsers(roster, state).filter(
    (person) => facts.presenceOf(person.address).is === "absent" || !allowances.ask(release(person, state)).isAllowed,
  );
}

/** No call releases them: what counts as done is the last that was allowed. */
function release({ address }: AddressedUser, { users, allowances }: State): Objection {
  const record = users.get(address);
  const since = record?.createdAt ?? record?.seenAt ?? "an earlier run";
  const before = allowances?.get(formatAllowanceCode({ of: "user-removed", about: address, digits: "" }));
  const again = before === undefined ? "" : `, allowed at ${before.at}`;
  return {
    of: "user-removed",
    subject: userSubject(address),
    facts: [`in an applied roster, known since ${since}${again}`],
  };
}
