import type { RosterUser } from "../model/roster.ts";
import type { Profile, RecordedRefusal } from "../model/state.ts";
import { type JudgedPerson, withhold } from "./person.ts";
import type { Question } from "./question.ts";
import { remembered, userSubject } from "./subjects.ts";

const fields: readonly (keyof Profile)[] = ["firstName", "lastName", "title", "externalIdentifier", "source"];

/** Somebody whose creation the service refused, and whom the roster still wants created in the very same words. */
export function judgeRefused(user: RosterUser, { state, policy }: Question): JudgedPerson | undefined {
  const refusal = state.refusals.get(user.address);
  if (refusal === undefined || policy.recreate.includes(user.address) || !isSameRequest(user, refusal))
    return undefined;
  const message =
    `The service refused to create ${user.email} at ${refusal.at}: ${refusal.why}. The same is not sent again by itself, since nothing that is ` +
    `shown has changed; a deleted user who is not shown may block the address. Correct the person in the roster, or have the service ` +
    `put in order and say --recreate ${user.email} for one run.`;
  return withhold(user, {
    code: "refused-before",
    message,
    restsOn: [remembered(`creation of ${userSubject(user.address)}`, "refused", refusal.at)],
  });
}

function isSameRequest(user: RosterUser, { email, account, sent }: RecordedRefusal): boolean {
  return user.email === email && user.account === account && fields.every((field) => user[field] === sent[field]);
}
