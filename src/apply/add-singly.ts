import { taughtBy } from "../journal/taught.ts";
import type { PersonRef } from "../model/action.ts";
import { type Failure, stopsTheRun } from "../model/failure.ts";
import type { AddedMember } from "../model/run-event.ts";
import { shownTeamKey } from "../model/shown-keys.ts";
import { type Addition, doubtAbout, intentFor, sendAddition } from "./addition.ts";
import { onlyUser } from "./people-look.ts";
import { settleInRun } from "./settle-in-run.ts";

/** What became of people who were added one by one. */
export interface SingleOutcomes {
  readonly members: readonly AddedMember[];
  /** The one whose addition nobody can tell; nobody was added after them. */
  readonly doubtful?: PersonRef;
}

/** Whether a refusal of a whole call may be the fault of one of its people. */
export function mayBeOneOfThem({ code }: Failure): boolean {
  return code === "conflict" || code === "not-found" || code === "refused";
}

/** After so many refusals in the same words, and nobody added, it is not the people who are at fault. */
const sameRefusals = 3;

/**
 * Adds people one by one where the service refused them all because of one: those who are members by now are not asked
 * for again, and nobody is asked for twice. Each outcome is durable before the next call.
 */
export async function addSingly(
  addition: Addition,
  members: readonly PersonRef[],
  refusal: Failure,
): Promise<SingleOutcomes> {
  const there = await membersByNow(addition, members);
  const done: AddedMember[] = [...there.values()];
  const rest = members.filter(({ address }) => !there.has(address));
  if (members.length === 1) return { members: [...done, ...rest.map((person) => notAdded(person, refusal))] };
  for (const [index, person] of rest.entries()) {
    const after = rest.slice(index + 1);
    if (isRefusedAlike(done, refusal)) {
      return { members: [...done, ...[person, ...after].map((one) => notAdded(one, refusal))] };
    }
    const outcome = await addOne(addition, person);
    if (outcome === "doubtful") {
      return { members: [...done, ...after.map((one) => notAdded(one, notSentAfter(person)))], doubtful: person };
    }
    done.push(outcome);
  }
  return { members: done };
}

async function membersByNow(
  { action, identifier, context }: Addition,
  members: readonly PersonRef[],
): Promise<ReadonlyMap<PersonRef["address"], AddedMember>> {
  const shown = await context.settling(members);
  if (!shown.ok) {
    if (stopsTheRun(shown.error)) context.stop(shown.error);
    return new Map();
  }
  const { team, name } = action.team;
  return new Map(
    members.flatMap(({ address }) => {
      const user = onlyUser(shown.value, address);
      const key = user === undefined ? undefined : shownTeamKey(user, { team, name, identifier });
      if (key?.is !== "shown") return [];
      const { prefix, roles } = key.key;
      const member: AddedMember = {
        address,
        outcome: { added: true },
        prefix,
        ...(roles === undefined ? {} : { roles }),
      };
      return [[address, member] as const];
    }),
  );
}

async function addOne(addition: Addition, person: PersonRef): Promise<AddedMember | "doubtful"> {
  const { action, context } = addition;
  const sent = await sendAddition(addition, [person]);
  switch (sent.is) {
    case "not-started":
      return notAdded(person, { code: "aborted", message: "the run was stopped before this person was added" });
    case "refused":
      await remember(addition, person, notAdded(person, sent.failure));
      return notAdded(person, sent.failure);
    case "answered": {
      const member = sent.answer[0] ?? { address: person.address, outcome: { added: true } };
      await remember(addition, person, member);
      return member;
    }
    case "unknown": {
      const verdict = await settleInRun(context, doubtAbout(addition, [person]), sent);
      if (verdict === undefined) return "doubtful";
      const learned = verdict.as.done && verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
      const message = `${sent.failure.message}; reads show that it did not take effect for ${person.email}`;
      return learned[0] ?? notAdded(person, { ...sent.failure, message });
    }
  }

  async function remember({ action: { team } }: Addition, one: PersonRef, member: AddedMember): Promise<void> {
    const at = context.now();
    const learned = { kind: "add-members", team: team.team, members: [member] } as const;
    const settled = {
      type: "settled",
      at,
      run: context.work.run,
      action: action.id,
      as: { done: true, learned },
    } as const;
    await context.record([settled, ...taughtBy(intentFor(addition, [one]), learned, at)]);
  }
}

function isRefusedAlike(done: readonly AddedMember[], refusal: Failure): boolean {
  const refused = done.flatMap(({ outcome }) => (outcome.added ? [] : [outcome.failure]));
  if (refused.length < done.length || refused.length < sameRefusals) return false;
  return refused.every(({ code, serviceSays }) => code === refusal.code && serviceSays === refusal.serviceSays);
}

function notAdded({ address }: PersonRef, failure: Failure): AddedMember {
  return { address, outcome: { added: false, failure } };
}

function notSentAfter({ email }: PersonRef): Failure {
  return {
    code: "aborted",
    message: `this person was not asked for, because it is not known whether ${email} was added`,
  };
}
