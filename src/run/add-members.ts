import { keysOf } from "../log/learned-keys.ts";
import { definedFields } from "../model/collections.ts";
import type { AddedMember } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import { type AddMembers, creationId } from "../model/plan.ts";
import type { TeamIdentity } from "../model/team.ts";
import { addIndividually } from "./add-individually.ts";
import { membersAdded, resolvedBy } from "./assess.ts";
import { addressesAdded, membershipOf } from "./expected-effect.ts";
import { peopleWithoutKey, readMissingFacts } from "./missing-facts.ts";
import { resolveByReading } from "./resolve.ts";
import { type ActionResult, recordFailure, recordSuccess, recordUnknown } from "./send.ts";
import { type Addition, additionIntent, type Member, sendAddition } from "./send-addition.ts";
import { queryOf, type RunSession } from "./session.ts";

/**
 * Adds people to a team in one call, and learns the keys that later calls need. `leftOut`: people of the plan that the
 * call leaves out, and why; they are recorded with its outcome.
 */
export async function addMembers(
  action: AddMembers,
  leftOut: readonly AddedMember[],
  session: RunSession,
): Promise<ActionResult> {
  const { id, team, firstMember } = action;
  const { journal, knowledge, plan } = session;
  const { name, account } = plan.teams.get(team) ?? { name: team, account: "" };
  const identifier = knowledge.teamIdentifier(team, firstMember);
  if (identifier === undefined) {
    const why = `the identifier of the team ${name} is unknown`;
    const cause = firstMember && creationId(firstMember);
    journal.record([{ type: "skipped", at: journal.now(), action: id, ...definedFields({ cause }), why }]);
    return { is: "not-done", cause: { action: cause ?? id, why } };
  }
  const addition: Addition = { action, team: { team, name, account, identifier } };
  // A user that a creation found, and did not make, may be a member already: nobody is mailed on a doubt.
  const met = action.members.flatMap((member) => metOutcome(member, addition.team, session));
  const known = new Set(met.map(({ address }) => address));
  const members = action.members.filter(({ address }) => !known.has(address));
  const unsent = [...met, ...leftOut];
  if (members.length === 0) return recordAddition(addition, unsent, session);
  const by = knowledge.naming;
  const sent = await sendAddition(addition, members, by, session);
  switch (sent.is) {
    case "not-started":
      return sent;
    case "done": {
      const outcomes = [...sent.answer, ...unsent];
      const told = new Set(sent.answer.map(({ address }) => address));
      const except = members.flatMap(({ address }) => (told.has(address) ? [] : [address]));
      if (except.length === 0) return recordAddition(addition, outcomes, session);
      const call = { action: id, intent: additionIntent(addition, members) };
      const names = except.map((address) => queryOf(address, plan).email).join(", ");
      const failure: Failure = { code: "service-error", message: `The answer names other users, and not ${names}` };
      recordUnknown(session, call, { failure, times: sent.times });
      const as = { done: true, learned: { kind: "add-members", team, members: outcomes } } as const;
      journal.record([resolvedBy({ run: journal.run, ...call }, { as, except }, journal.now())]);
      return continueAddition(addition, outcomes, session);
    }
    case "refused": {
      const refusal = sent.failure;
      // Whether it may be the fault of one of its people, or of how they were named.
      const mayConcernOne = ["conflict", "not-found", "refused"].includes(refusal.code);
      if (!mayConcernOne) return recordFailure(session, id, refusal);
      const { members: outcomes, doubtful } = await addIndividually(addition, members, { refusal, by }, session);
      if (doubtful === undefined) return recordAddition(addition, [...outcomes, ...unsent], session);
      const keys = keysOf({ kind: "add-members", team, members: outcomes });
      journal.record(keys.map((key) => ({ type: "key-learned", at: journal.now(), ...key })));
      return continueAddition(addition, outcomes, session);
    }
    case "unknown": {
      const { failure } = sent;
      const verdict = await resolveByReading(session, { action: id, intent: additionIntent(addition, members) }, sent);
      if (verdict === undefined) return { is: "not-done", failure };
      if (!verdict.as.done) {
        const message = `${failure.message}. Reads show that no member was added`;
        return recordFailure(session, id, { ...failure, message });
      }
      const outcomes = [...membersAdded(verdict), ...unsent];
      return verdict.except === undefined && unsent.length > 0
        ? recordAddition(addition, outcomes, session)
        : continueAddition(addition, outcomes, session);
    }
  }
}

/** What a read has shown of somebody whom a creation met; nothing where they are to be sent. */
function metOutcome({ address }: Member, team: TeamIdentity, { knowledge, plan }: RunSession): readonly AddedMember[] {
  if (!knowledge.met.has(address)) return [];
  const user = knowledge.met.get(address);
  const member = user === undefined ? "unknown" : membershipOf(user, team);
  if (member === "absent") return [];
  if (member !== "unknown") return [member];
  const message = `${queryOf(address, plan).email} existed before this run, and roster cannot know if they are in ${team.name} already`;
  const hint = "roster does not invite a user in doubt. Plan again; the finding shows what to write or allow";
  return [{ address, outcome: { added: false, failure: { code: "stale", message, hint } } }];
}

/** Records the outcome of every person, and goes on with those who are members now. An addition of nobody has failed. */
async function recordAddition(
  addition: Addition,
  outcomes: readonly AddedMember[],
  session: RunSession,
): Promise<ActionResult> {
  const { id: action, team } = addition.action;
  const { journal } = session;
  const refused = outcomes.flatMap(({ address, outcome }) =>
    outcome.added
      ? []
      : [{ type: "member-refused", at: journal.now(), action, address, failure: outcome.failure } as const],
  );
  const [first] = refused;
  if (first !== undefined && refused.length === outcomes.length) {
    journal.record(refused);
    const others = new Set(refused.map(({ failure }) => failure.message)).size - 1;
    const more = others === 0 ? "" : `; and ${others} other ${others === 1 ? "reason" : "reasons"}`;
    return recordFailure(session, action, { ...first.failure, message: `${first.failure.message}${more}` });
  }
  recordSuccess(session, action, { kind: "add-members", team, members: outcomes });
  return continueAddition(addition, outcomes, session);
}

/** Learns the keys of new members that later calls need, and nothing has shown yet. */
async function continueAddition(
  { action, team }: Addition,
  outcomes: readonly AddedMember[],
  session: RunSession,
): Promise<ActionResult> {
  const { id, members, because } = action;
  const needed = session.neededKeys.get(id);
  const added = addressesAdded(outcomes);
  const concerned = [...added].filter((address) => needed?.has(address));
  const people = await peopleWithoutKey(session, concerned, team.team);
  const missing = people.map((address) => ({ of: "key", person: queryOf(address, session.plan), team }) as const);
  await readMissingFacts(session, missing, { account: team.account, because });
  return { is: "done", without: members.flatMap(({ address }) => (added.has(address) ? [] : [address])) };
}
