import { checkNamed } from "../authorization.ts";
import type { Knobs } from "../knobs/registry.ts";
import { answer, answerNothing, quoted, Refusal, type ServedAnswer, withStatus } from "../responses/reply.ts";
import { renderMemberKey, renderTeam, renderUserName, renderUserReference } from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import { type Key, type Team, teamRole, type User } from "../world.ts";
import type { RequestBody } from "./bodies.ts";
import { isOlderThan, namedUser } from "./users.ts";

/** Adds everybody or nobody, or as many as can be, as this service does: a key and an invitation for each. */
export function addMembers(call: RequestContext, wished: RequestBody<"addMembers">): ServedAnswer {
  const { knobs, now, pathParameter, world } = call;
  const known = world.teams.get(pathParameter);
  const found = known !== undefined && now - known.createdAt < knobs.teamLagMs ? undefined : known;
  const team = checkNamed(call, "team", found, ({ account }) => account);
  const entries = batchEntries(call, team, wished);
  const failed = entries.filter((entry) => "refusal" in entry);
  const [first] = ["M4", "M4-list", "M5", "M5-201"].includes(knobs.members) ? [] : failed;
  if (first !== undefined) {
    const { status, message } = first.refusal;
    throw new Refusal(knobs.members === "M6" ? 400 : status, `${message}; nobody was added`);
  }
  const outcomes = entries.map((entry) => ("refusal" in entry ? entry : addMember(call, team, entry)));
  const shaped = membersAnswer(knobs, team, outcomes);
  const keepsStatus = knobs.membersStatus === "own" || knobs.members === "M7" || failed.length > 0;
  return keepsStatus ? shaped : withStatus(shaped, Number(knobs.membersStatus));
}

/** One entry of the request: a user who may be added, or the reason why not. */
type BatchEntry = UserEntry | { readonly asked: string; readonly refusal: Refusal };

interface UserEntry {
  readonly asked: string;
  readonly user: User;
  /** Of a member; absent where they are one no more. */
  readonly key?: Key;
}

/** Each user once. */
function batchEntries(call: RequestContext, team: Team, wished: RequestBody<"addMembers">): readonly BatchEntry[] {
  const named = new Set<User>();
  return wished.flatMap(({ identifier: asked }): readonly BatchEntry[] => {
    const entry = checkEntry(call, team, asked);
    if ("refusal" in entry) return [entry];
    const isFirst = !named.has(entry.user);
    named.add(entry.user);
    return isFirst ? [entry] : [];
  });
}

function checkEntry(call: RequestContext, team: Team, asked: string): BatchEntry {
  const { memberIdentifiers, memberLagMs, readd } = call.knobs;
  const user = namedUser(call, asked, memberIdentifiers);
  if (user === undefined || !isOlderThan(call, user, memberLagMs))
    return { asked, refusal: new Refusal(404, `The user ${quoted(asked)} was not found`) };
  if (readd !== "409" || !team.members.has(user)) return { asked, user };
  const message = `The user ${quoted(asked)} is a member of the team ${quoted(team.name)} already`;
  return { asked, refusal: new Refusal(409, message) };
}

function addMember(call: RequestContext, team: Team, { asked, user }: UserEntry): UserEntry {
  const { identifiers, knobs, mails, now: createdAt, origin, world } = call;
  const before = team.members.get(user);
  if (before !== undefined && knobs.readd === "remove") {
    world.removeKey(before);
    return { asked, user };
  }
  const key = before ?? world.addKey({ kind: "team", owner: user, team, roles: [teamRole], createdAt });
  if (before === undefined || knobs.readd === "reinvite") {
    const link = `${origin}/invitations/${identifiers.secret()}`;
    const at = new Date(createdAt).toISOString();
    mails.push({ team: team.identifier, teamName: team.name, user: user.identifier, address: user.email, at, link });
  }
  return { asked, user, key };
}

function membersAnswer(knobs: Knobs, team: Team, outcomes: readonly BatchEntry[]): ServedAnswer {
  const rows = outcomes.flatMap((outcome) => ("user" in outcome ? [renderMember(knobs, outcome)] : []));
  const failed = outcomes.filter((outcome) => "refusal" in outcome);
  const failures = failed.map(({ asked, refusal: { status, message } }) => ({
    identifier: asked,
    status,
    detail: message,
  }));
  switch (knobs.members) {
    case "M1":
    case "M6":
      return answer(200, rows);
    case "M2": {
      const members = Array.from(team.members.keys(), (user) => renderUserReference(knobs, user));
      return answer(200, { ...renderTeam(knobs, team), members });
    }
    case "M3":
      return answerNothing(204);
    case "M3-201":
      return answerNothing(201);
    case "M4":
      return answer(207, { successes: rows, failures });
    case "M4-list":
      return answer(207, outcomes.map(renderOutcome));
    case "M5":
      return answer(200, { members: rows, errors: failed.length === 0 ? undefined : failures });
    case "M5-201": {
      const message = Object.fromEntries(failed.map(({ asked, refusal }) => [asked, [refusal.message]]));
      return answer(201, failed.length === 0 ? { status: "success" } : { status: "error", message });
    }
    case "M7":
      return answer(202, { status: "QUEUED" });
  }
}

function renderMember(knobs: Knobs, { user, key }: UserEntry): object {
  const accessKey = key === undefined ? undefined : renderMemberKey(knobs, key, "made");
  return { ...renderUserName(knobs, user), accessKey };
}

function renderOutcome(outcome: BatchEntry): object {
  const { status, message } = "refusal" in outcome ? outcome.refusal : { status: 200, message: "added" };
  return { identifier: outcome.asked, status, message };
}
