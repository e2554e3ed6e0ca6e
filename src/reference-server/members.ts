import type { Call } from "./call.ts";
import { mayActIn } from "./caller.ts";
import { type Outcome, tellAdded } from "./dialect/tell-added.ts";
import type { Team, User } from "./entities.ts";
import { teamRole } from "./known-roles.ts";
import { isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { isOld, namedUser } from "./rules/people.ts";

export type NewMembers = readonly { readonly identifier: string }[];

/** Adds everybody or nobody, or as many as can be, as this service does: a key and an invitation for each. */
export function addMembers(call: Call, wished: NewMembers): Reply {
  const team = teamOfPath(call);
  if (isRefusal(team)) return team;
  const entries = entriesOf(call, team, wished);
  const refused = addsSingly(call) ? undefined : entries.find((entry) => entry.refusal !== undefined)?.refusal;
  if (refused !== undefined) return refuseBatch(call, refused);
  return tellAdded(
    call,
    team,
    entries.map((entry) => admit(call, team, entry)),
  );
}

/** One entry of the request: a user who may be added, or the reason why not. */
type Entry =
  | { readonly asked: string; readonly user: User; readonly refusal?: undefined }
  | { readonly asked: string; readonly refusal: Refusal };

function teamOfPath({ caller, knobs, now, subject, world }: Call): Team | Refusal {
  const team = world.teams.get(subject);
  if (team === undefined || now - team.createdAt < knobs.teamLagMs) {
    return refuse(404, `The team ${quoted(subject)} was not found`);
  }
  return mayActIn(caller, team.account) ? team : refuse(403, `The team ${quoted(subject)} belongs to another account`);
}

/** Each user once. */
function entriesOf(call: Call, team: Team, wished: NewMembers): readonly Entry[] {
  const entries: Entry[] = [];
  const named = new Set<User>();
  for (const { identifier: asked } of wished) {
    const entry = judge(call, team, asked);
    if (entry.refusal === undefined && named.has(entry.user)) continue;
    if (entry.refusal === undefined) named.add(entry.user);
    entries.push(entry);
  }
  return entries;
}

function judge(call: Call, team: Team, asked: string): Entry {
  const { knobs } = call;
  const user = namedUser(call, asked, knobs.memberIdentifiers);
  if (user === undefined || !isOld(call, user, knobs.memberLagMs)) {
    return { asked, refusal: refuse(404, `The user ${quoted(asked)} was not found`) };
  }
  if (knobs.readd !== "409" || !team.members.has(user)) return { asked, user };
  const message = `The user ${quoted(asked)} is a member of the team ${quoted(team.name)} already`;
  return { asked, refusal: refuse(409, message) };
}

function addsSingly({ knobs }: Call): boolean {
  return ["M4", "M4-list", "M5", "M5-201"].includes(knobs.members);
}

function refuseBatch({ knobs }: Call, { status, message }: Refusal): Refusal {
  return refuse(knobs.members === "M6" ? 400 : status, `${message}; nobody was added`);
}

function admit(call: Call, team: Team, entry: Entry): Outcome {
  if (entry.refusal !== undefined) return entry;
  const { asked, user } = entry;
  const before = team.members.get(user);
  if (before !== undefined && call.knobs.readd === "remove") {
    call.world.removeKey(before);
    return { asked, user, key: undefined };
  }
  const key = before ?? call.world.addKey({ kind: "team", owner: user, team, roles: [teamRole], createdAt: call.now });
  if (before === undefined || call.knobs.readd === "reinvite") invite(call, team, user);
  return { asked, user, key };
}

function invite({ at, origin, outbox }: Call, team: Team, user: User): void {
  outbox.invite({ team, user, at, endpoint: origin });
}
