import { checkNamed } from "../authorization.ts";
import type { Knobs } from "../knobs/registry.ts";
import {
  answer,
  answerNothing,
  isRefusal,
  quoted,
  type Refusal,
  type Reply,
  refuse,
  type ServedAnswer,
  withStatus,
} from "../responses/reply.ts";
import { renderMemberKey, renderTeam, renderUserName, renderUserReference } from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import { type Key, type Team, teamRole, type User } from "../world.ts";
import { isOlderThan, namedUser } from "./users.ts";

export type AddMembersRequest = readonly { readonly identifier: string }[];

/** Adds everybody or nobody, or as many as can be, as this service does: a key and an invitation for each. */
export function addMembers(call: RequestContext, wished: AddMembersRequest): Reply {
  const team = teamOfRequest(call);
  if (isRefusal(team)) return team;
  const entries = batchEntries(call, team, wished);
  const refused = allowsPartialSuccess(call)
    ? undefined
    : entries.find((entry) => entry.refusal !== undefined)?.refusal;
  if (refused !== undefined) return refuseBatch(call, refused);
  return addMembersResponse(
    call,
    team,
    entries.map((entry) => addMember(call, team, entry)),
  );
}

/** One entry of the request: a user who may be added, or the reason why not. */
type BatchEntry =
  | { readonly asked: string; readonly user: User; readonly refusal?: undefined }
  | { readonly asked: string; readonly refusal: Refusal };

function teamOfRequest(call: RequestContext): Team | Refusal {
  const team = call.world.teams.get(call.pathParameter);
  const found = team !== undefined && call.now - team.createdAt < call.knobs.teamLagMs ? undefined : team;
  return checkNamed(call, { what: "team", found, account: found?.account });
}

/** Each user once. */
function batchEntries(call: RequestContext, team: Team, wished: AddMembersRequest): readonly BatchEntry[] {
  const entries: BatchEntry[] = [];
  const named = new Set<User>();
  for (const { identifier: asked } of wished) {
    const entry = checkEntry(call, team, asked);
    if (entry.refusal === undefined && named.has(entry.user)) continue;
    if (entry.refusal === undefined) named.add(entry.user);
    entries.push(entry);
  }
  return entries;
}

function checkEntry(call: RequestContext, team: Team, asked: string): BatchEntry {
  const { knobs } = call;
  const user = namedUser(call, asked, knobs.memberIdentifiers);
  if (user === undefined || !isOlderThan(call, user, knobs.memberLagMs)) {
    return { asked, refusal: refuse(404, `The user ${quoted(asked)} was not found`) };
  }
  if (knobs.readd !== "409" || !team.members.has(user)) return { asked, user };
  const message = `The user ${quoted(asked)} is a member of the team ${quoted(team.name)} already`;
  return { asked, refusal: refuse(409, message) };
}

function allowsPartialSuccess({ knobs }: RequestContext): boolean {
  return ["M4", "M4-list", "M5", "M5-201"].includes(knobs.members);
}

function refuseBatch({ knobs }: RequestContext, { status, message }: Refusal): Refusal {
  return refuse(knobs.members === "M6" ? 400 : status, `${message}; nobody was added`);
}

function addMember(call: RequestContext, team: Team, entry: BatchEntry): MemberOutcome {
  if (entry.refusal !== undefined) return entry;
  const { asked, user } = entry;
  const before = team.members.get(user);
  if (before !== undefined && call.knobs.readd === "remove") {
    call.world.removeKey(before);
    return { asked, user, key: undefined };
  }
  const key = before ?? call.world.addKey({ kind: "team", owner: user, team, roles: [teamRole], createdAt: call.now });
  if (before === undefined || call.knobs.readd === "reinvite") sendInvitation(call, team, user);
  return { asked, user, key };
}

function sendInvitation({ at, origin, outbox }: RequestContext, team: Team, user: User): void {
  outbox.sendInvitation({ team, user, at, endpoint: origin });
}

/** What became of one entry of a batch: a member, with the key unless they are one no more, or the reason why not. */
type MemberOutcome =
  | { readonly asked: string; readonly user: User; readonly key: Key | undefined }
  | { readonly asked: string; readonly refusal: Refusal };

type MemberToAdd = Exclude<MemberOutcome, { readonly refusal: Refusal }>;

function addMembersResponse({ knobs }: RequestContext, team: Team, outcomes: readonly MemberOutcome[]): ServedAnswer {
  const shaped = membersAnswer(knobs, team, outcomes);
  const keepsStatus = knobs.membersStatus === "own" || knobs.members === "M7";
  const isPartial = outcomes.some((outcome) => "refusal" in outcome);
  return keepsStatus || isPartial ? shaped : withStatus(shaped, Number(knobs.membersStatus));
}

function membersAnswer(knobs: Knobs, team: Team, outcomes: readonly MemberOutcome[]): ServedAnswer {
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

function renderMember(knobs: Knobs, { user, key }: MemberToAdd): object {
  const rendered = renderUserName(knobs, user);
  if (key !== undefined) rendered["accessKey"] = renderMemberKey(knobs, key, "made");
  return rendered;
}

function renderFailure({ asked, refusal }: Exclude<MemberOutcome, MemberToAdd>): object {
  return { identifier: asked, status: refusal.status, detail: refusal.message };
}

function renderOutcome(outcome: MemberOutcome): object {
  if ("refusal" in outcome) {
    const { status, message } = outcome.refusal;
    return { identifier: outcome.asked, status, message };
  }
  return { identifier: outcome.asked, status: 200, message: "added" };
}
