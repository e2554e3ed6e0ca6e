import type { AccountService } from "../../src/ports/account-service.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { openInProcess } from "../../src/reference-server/in-process.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { World as ServedWorld } from "../../src/reference-server/world.ts";
import { type Key, systemOwner } from "../../src/reference-server/world.ts";
import { memoryTransport } from "../../src/rehearse/rehearsal-service.ts";
import { ApiKey } from "../../src/service/api-key.ts";
import { accountServiceClient } from "../../src/service/client.ts";
import { countingRandomness } from "./fixed-ports.ts";
import type { World } from "./simulated-world.ts";

/** The client's side of a reference service in memory that holds a simulated world. */
export function inMemoryService(world: World, knobs: Partial<Knobs>, clock: Clock): AccountService {
  const endpoint = new URL("https://accounts.example");
  const fill = (served: ServedWorld) => fillWorld(served, world);
  const server = openInProcess({ fill, origin: endpoint.origin, knobs, now: () => clock.now() });
  const transport = memoryTransport(server, { clock, latency: 10, connections: 10, prefix: "" });
  return accountServiceClient(transport, {
    endpoint,
    key: new ApiKey("root.root"),
    clock,
    randomness: countingRandomness(),
  });
}

function fillWorld(served: ServedWorld, world: World): Key {
  for (const { identifier, status = "active" } of world.accounts.values()) {
    served.addAccount(identifier, identifier, status);
  }
  for (const identifier of world.roles) {
    served.roles.set(identifier, { identifier, name: identifier, description: "", type: "user" });
  }
  const [home] = served.accounts.values();
  if (home === undefined) throw new Error("a world without accounts");
  const root = served.addUser({ account: home, email: "root@accounts.example", firstName: "R", lastName: "T" });
  const owners = world.users.map(({ keys, account, ...user }) => {
    return { keys, owner: served.addUser({ ...user, account: served.accounts.get(account) ?? home }) };
  });
  for (const { identifier, name, account } of world.teams.values()) {
    served.addTeam({ identifier, name, account: served.accounts.get(account) ?? home, admin: root });
  }
  for (const { keys, owner } of owners) {
    for (const { team, ...key } of keys) {
      served.addKey({ ...key, owner, team: team === undefined ? undefined : served.teams.get(team) });
    }
  }
  return served.addKey({ kind: "user", owner: root, roles: [systemOwner], prefix: "root", secret: "root" });
}
