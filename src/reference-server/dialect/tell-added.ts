import type { Call } from "../call.ts";
import type { Key, Team, User } from "../entities.ts";
import type { Knobs } from "../knobs.ts";
import { type Answer, answer, answerNothing, type Refusal, withStatus } from "../reply.ts";
import { tellMemberKey, tellReference, tellTeam } from "./show-user.ts";

/** What became of one entry of a batch: a member, with the key unless they are one no more, or the reason why not. */
export type Outcome =
  | { readonly asked: string; readonly user: User; readonly key: Key | undefined }
  | { readonly asked: string; readonly refusal: Refusal };

type Added = Exclude<Outcome, { readonly refusal: Refusal }>;

export function tellAdded({ knobs }: Call, team: Team, outcomes: readonly Outcome[]): Answer {
  const shaped = shapedAnswer(knobs, team, outcomes);
  const keepsStatus = knobs.membersStatus === "own" || knobs.members === "M7";
  const isPartial = outcomes.some((outcome) => "refusal" in outcome);
  return keepsStatus || isPartial ? shaped : withStatus(shaped, Number(knobs.membersStatus));
}

function shapedAnswer(knobs: Knobs, team: Team, outcomes: readonly Outcome[]): Answer {
  const added = outcomes.filter((outcome) => "user" in outcome);
  const failed = outcomes.filter((outcome) => "refusal" in outcome);
  const rows = added.map((member) => tellMember(knobs, member));
  switch (knobs.members) {
    case "M1":
    case "M6":
      return answer(200, rows);
    case "M2":
      return answer(200, {
        ...tellTeam(knobs, team),
        members: Array.from(team.members.keys(), (user) => tellReference(knobs, user)),
      });
    case "M3":
      return answerNothing(204);
    case "M3-201":
      return answerNothing(201);
    case "M4":
      return answer(207, { successes: rows, failures: failed.map(tellProblem) });
    case "M4-list":
      return answer(207, outcomes.map(tellOutcome));
    case "M5":
      return answer(200, { members: rows, ...(failed.length === 0 ? {} : { errors: failed.map(tellProblem) }) });
    case "M5-201": {
      const message = Object.fromEntries(failed.map(({ asked, refusal }) => [asked, [refusal.message]]));
      return answer(201, failed.length === 0 ? { status: "success" } : { status: "error", message });
    }
    case "M7":
      return answer(202, { status: "QUEUED" });
  }
}

function tellMember(knobs: Knobs, { user, key }: Added): object {
  const { status, state, active, ...reference }: Readonly<Record<string, unknown>> = { ...tellReference(knobs, user) };
  return { ...reference, ...(key === undefined ? {} : { accessKey: tellMemberKey(knobs, key, "made") }) };
}

function tellProblem({ asked, refusal }: Exclude<Outcome, Added>): object {
  return { identifier: asked, status: refusal.status, detail: refusal.message };
}

function tellOutcome(outcome: Outcome): object {
  if ("refusal" in outcome) {
    const { status, message } = outcome.refusal;
    return { identifier: outcome.asked, status, message };
  }
  return { identifier: outcome.asked, status: 200, message: "added" };
}
