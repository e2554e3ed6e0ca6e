import type { RequestContext } from "../call.ts";
import type { Key, Team, User } from "../entities.ts";
import type { Knobs } from "../knobs.ts";
import { type Answer, answer, answerNothing, type Refusal, withStatus } from "../reply.ts";
import { renderMemberKey, renderTeam, renderUserReference } from "./show-user.ts";

/** What became of one entry of a batch: a member, with the key unless they are one no more, or the reason why not. */
export type MemberOutcome =
  | { readonly asked: string; readonly user: User; readonly key: Key | undefined }
  | { readonly asked: string; readonly refusal: Refusal };

type AddedMember = Exclude<MemberOutcome, { readonly refusal: Refusal }>;

export function addMembersResponse({ knobs }: RequestContext, team: Team, outcomes: readonly MemberOutcome[]): Answer {
  const shaped = membersAnswer(knobs, team, outcomes);
  const keepsStatus = knobs.membersStatus === "own" || knobs.members === "M7";
  const isPartial = outcomes.some((outcome) => "refusal" in outcome);
  return keepsStatus || isPartial ? shaped : withStatus(shaped, Number(knobs.membersStatus));
}

function membersAnswer(knobs: Knobs, team: Team, outcomes: readonly MemberOutcome[]): Answer {
  const added = outcomes.filter((outcome) => "user" in outcome);
  const failed = outcomes.filter((outcome) => "refusal" in outcome);
  const rows = added.map((member) => renderMember(knobs, member));
  switch (knobs.members) {
    case "M1":
    case "M6":
      return answer(200, rows);
    case "M2":
      return answer(200, {
        ...renderTeam(knobs, team),
        members: Array.from(team.members.keys(), (user) => renderUserReference(knobs, user)),
      });
    case "M3":
      return answerNothing(204);
    case "M3-201":
      return answerNothing(201);
    case "M4":
      return answer(207, { successes: rows, failures: failed.map(renderFailure) });
    case "M4-list":
      return answer(207, outcomes.map(renderOutcome));
    case "M5":
      return answer(200, { members: rows, ...(failed.length === 0 ? {} : { errors: failed.map(renderFailure) }) });
    case "M5-201": {
      const message = Object.fromEntries(failed.map(({ asked, refusal }) => [asked, [refusal.message]]));
      return answer(201, failed.length === 0 ? { status: "success" } : { status: "error", message });
    }
    case "M7":
      return answer(202, { status: "QUEUED" });
  }
}

function renderMember(knobs: Knobs, { user, key }: AddedMember): object {
  const { status, state, active, ...reference }: Readonly<Record<string, unknown>> = {
    ...renderUserReference(knobs, user),
  };
  return { ...reference, ...(key === undefined ? {} : { accessKey: renderMemberKey(knobs, key, "made") }) };
}

function renderFailure({ asked, refusal }: Exclude<MemberOutcome, AddedMember>): object {
  return { identifier: asked, status: refusal.status, detail: refusal.message };
}

function renderOutcome(outcome: MemberOutcome): object {
  if ("refusal" in outcome) {
    const { status, message } = outcome.refusal;
    return { identifier: outcome.asked, status, message };
  }
  return { identifier: outcome.asked, status: 200, message: "added" };
}
