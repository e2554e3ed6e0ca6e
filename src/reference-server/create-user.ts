import { accountOfPath } from "./accounts.ts";
import { type Call, visibleUser } from "./call.ts";
import { type Account, isActive, type Team, type User } from "./entities.ts";
import { accountAdmin, teamRole } from "./known-roles.ts";
import { answer, isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { obstacleToGranting } from "./roles.ts";
import { showTeam, showUser } from "./views.ts";

export interface Creation {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly title?: string;
  readonly externalIdentifier?: string;
  readonly source?: string;
  readonly team?: Founding;
}

interface Founding {
  readonly name?: string;
  readonly adminUserIdentifier?: string;
  readonly accessKeyRoles?: readonly string[];
}

/** Creates a user with one key: their own, or that of the team which is founded with them. */
export function createUser(call: Call, creation: Creation): Reply {
  const account = accountOfPath(call);
  if (isRefusal(account)) return account;
  const obstacle = obstacleToCreation(call, account, creation);
  if (obstacle !== undefined) return obstacle;
  const { team: founding, ...fields } = creation;
  const user = call.world.addUser({ ...fields, account });
  if (founding === undefined) {
    call.world.addKey({ kind: "user", owner: user, roles: [teamRole] });
    return answer(201, showUser(user));
  }
  const team = foundTeam(call, user, founding);
  return answer(201, { ...showUser(user), team: showTeam(team) });
}

function obstacleToCreation(call: Call, account: Account, creation: Creation): Refusal | undefined {
  if (!isActive(account)) {
    return refuse(
      400,
      `The account ${quoted(account.identifier)} has the status ${account.status}; no user can be created`,
    );
  }
  const obstacle = creation.team === undefined ? undefined : obstacleToFounding(call, creation.team);
  if (obstacle !== undefined) return obstacle;
  if (call.world.userByAddress(creation.email) === undefined) return undefined;
  return refuse(409, `A user with the email ${quoted(creation.email)} is there already`);
}

function obstacleToFounding(call: Call, founding: Founding): Refusal | undefined {
  const admin = founding.adminUserIdentifier;
  if (admin !== undefined && visibleUser(call, admin) === undefined) {
    return refuse(400, `The field team.adminUserIdentifier names nobody: ${quoted(admin)}`);
  }
  return obstacleToGranting(call, founding.accessKeyRoles ?? [], []);
}

/** The new team holds only its founder, whose key is active. */
function foundTeam(call: Call, founder: User, founding: Founding): Team {
  const { world } = call;
  const name = founding.name ?? `Team${founder.firstName} ${founder.lastName}`;
  const named = founding.adminUserIdentifier;
  const admin = (named === undefined ? undefined : visibleUser(call, named)) ?? founder;
  const team = world.addTeam({ account: founder.account, name, admin });
  world.addKey({ kind: "team", owner: founder, team, roles: foundersRoles(founding.accessKeyRoles ?? []) });
  return team;
}

function foundersRoles(wished: readonly string[]): readonly string[] {
  return wished.length === 0 ? [accountAdmin, teamRole] : [teamRole, ...wished];
}
