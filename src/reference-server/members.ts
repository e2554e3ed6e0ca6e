import { type Call, mayActIn, visibleUser } from "./call.ts";
import type { Team, User } from "./entities.ts";
import { teamRole } from "./known-roles.ts";
import { answer, isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { showTeamKey } from "./views.ts";

export type NewMembers = readonly { readonly identifier: string }[];

/** Adds everybody or nobody: a key and an invitation for each. */
export function addMembers(call: Call, wished: NewMembers): Reply {
  const team = call.world.teams.get(call.subject);
  if (team === undefined) return refuse(404, `The team ${quoted(call.subject)} was not found`);
  if (!mayActIn(call.caller, team.account)) {
    return refuse(403, `The team ${quoted(call.subject)} belongs to another account`);
  }
  const joining = usersToAdd(call, team, wished);
  if (isRefusal(joining)) return joining;
  return answer(
    200,
    [...joining].map((user) => addMember(call, team, user)),
  );
}

function usersToAdd(call: Call, team: Team, wished: NewMembers): ReadonlySet<User> | Refusal {
  const joining = new Set<User>();
  for (const { identifier } of wished) {
    const user = visibleUser(call, identifier);
    if (user === undefined) return refuse(404, `The user ${quoted(identifier)} was not found; nobody was added`);
    if (team.members.has(user)) {
      return refuse(
        409,
        `The user ${quoted(identifier)} is a member of the team ${quoted(team.name)} already; nobody was added`,
      );
    }
    joining.add(user);
  }
  return joining;
}

function addMember(call: Call, team: Team, user: User): object {
  const key = call.world.addKey({ kind: "team", owner: user, team, roles: [teamRole] });
  call.outbox.invite({ team, user, at: call.at, endpoint: call.origin });
  return { identifier: user.identifier, email: user.email, accessKey: showTeamKey(key) };
}
